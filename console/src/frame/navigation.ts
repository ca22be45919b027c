/** The sidebar: headings and pages, by their text keys, and what the user must be able to do to see them. */
export const NAVIGATION = [
  { group: undefined, items: [{ to: '/dashboard', key: 'frame.nav.dashboard' }] },
  {
    group: 'frame.nav.secondary',
    items: [
      { to: '/secondary-analysis/launch', key: 'frame.nav.launch' },
      { to: '/secondary-analysis/tasks', key: 'frame.nav.tasks' },
    ],
  },
  { group: 'frame.nav.tools', items: [{ to: '/tools/projects', key: 'frame.nav.projects' }] },
  {
    group: 'frame.nav.system',
    needs: 'staff-settings',
    items: [{ to: '/system-settings/tasks', key: 'frame.nav.system_tasks' }],
  },
] as const;

/** Pages that belong to one group: `?group=` stays in their address, and a detail page leads to its list on a change. */
export const GROUP_LISTS = ['/secondary-analysis/tasks', '/secondary-analysis/launch', '/tools/projects'] as const;

/** Where a change of the group leads from a page: the list it belongs to, or the page itself. */
export function pageAfterGroupChange(pathname: string): string {
  return GROUP_LISTS.find((list) => pathname === list || pathname.startsWith(`${list}/`)) ?? pathname;
}
