/** Loaders of the code of the pages that people open first; the router uses the same ones. */
export const loadFrame = () => import('./frame/frame.tsx');
export const loadDashboard = () => import('./pages/dashboard/dashboard-page.tsx');
export const loadTasks = () => import('./pages/tasks/tasks-page.tsx');
export const loadTaskDetail = () => import('./pages/task-detail/task-detail-page.tsx');

const FIRST_PAGES: readonly (readonly [RegExp, () => Promise<unknown>])[] = [
  [/^\/(dashboard)?$/, loadDashboard],
  [/^\/secondary-analysis\/tasks\/?$/, loadTasks],
  [/^\/secondary-analysis\/tasks\/[^/]+$/, loadTaskDetail],
];

/** Starts loading the code behind a path, so that it does not wait for the router's code. */
export async function loadPageCode(pathname: string): Promise<void> {
  const page = FIRST_PAGES.find(([path]) => path.test(pathname))?.[1];
  await Promise.all([loadFrame(), page?.()]);
}
