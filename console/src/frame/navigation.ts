/** The sidebar: headings and pages by their text keys, with the capability that each requires. */
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

/**
 * Pages of one group. They keep `?group=` in their address, and a change of the group opens the list of a detail page.
 */
export const GROUP_LISTS = ['/secondary-analysis/tasks', '/secondary-analysis/launch', '/tools/projects'] as const;

/** Returns the page to open after a change of the group: the list of a detail page, else the page itself. */
export function pageAfterGroupChange(pathname: string): string {
  return GROUP_LISTS.find((list) => pathname === list || pathname.startsWith(`${list}/`)) ?? pathname;
}
