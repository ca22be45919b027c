export function SoftwareListPage() {
  return null;
}
