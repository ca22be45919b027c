export function UserSettingsPage() {
  return null;
}
