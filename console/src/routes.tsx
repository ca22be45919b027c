import { createBrowserRouter, type LoaderFunctionArgs, type RouteObject, redirect } from 'react-router-dom';
import { tabs } from './api/client.ts';
import { loadDashboard, loadFrame, loadTaskDetail, loadTasks } from './first-page.ts';
import { AppRoot } from './frame/app-root.tsx';
import { CrashPage } from './frame/crash-page.tsx';
import { readGroups, verifySession } from './queries/auth.ts';
import { type Capability, can } from './session/capabilities.ts';
import { PASSWORD_PATH } from './session/safe-next.ts';
import { session } from './session/session.ts';

/** Declares a lazy page, whose chunk is loaded at the first visit. */
const page =
  <K extends string>(load: () => Promise<Record<K, React.ComponentType>>, name: K): RouteObject['lazy'] =>
  async () => ({ Component: (await load())[name] });

const toLogin = (request: Request) => {
  const { pathname, search } = new URL(request.url);
  return redirect(pathname === '/dashboard' ? '/login' : `/login?next=${encodeURIComponent(pathname + search)}`);
};

/** Returns the session of this tab, or of another tab of this browser. */
async function findSession() {
  if (!session.get()) await tabs.ask();
  return session.get();
}

/** Guards the protected pages: requires a session with a verified token. */
async function requireSession({ request }: LoaderFunctionArgs) {
  if (!(await findSession())) return toLogin(request);
  if (!(await verifySession())) {
    session.end('invalid_token');
    return toLogin(request);
  }
  return null;
}

/**
 * Redirects a group's page to the start page when the stored group list is missing; the start page reads it again. Runs
 * beside requireSession, which redirects to the login without a session.
 */
async function requireGroups() {
  const found = await findSession();
  return !found || found.groups ? null : redirect('/');
}

/** Redirects to /error, before any call, when the role does not allow the page. */
const requireCapability = (capability: Capability) => async () => {
  const found = await findSession();
  return !found || can(found, capability) ? null : redirect('/error');
};

/** The start page: reads the profile again, which restores a missing group list, and redirects to the dashboard. */
async function start() {
  if (await findSession()) await readGroups();
  return redirect('/dashboard');
}

/** Redirects to another page. */
const Nothing = () => null;

export const routes: RouteObject[] = [
  {
    Component: AppRoot,
    ErrorBoundary: CrashPage,
    // Shown until the first page's code and session are loaded.
    HydrateFallback: () => null,
    children: [
      {
        path: '/login',
        loader: async () => ((await findSession()) ? redirect('/dashboard') : null),
        lazy: page(() => import('./pages/login/login-page.tsx'), 'LoginPage'),
      },
      {
        path: '/login/sso',
        lazy: page(() => import('./pages/login/sso-page.tsx'), 'SsoPage'),
      },
      {
        path: '/software-list',
        lazy: page(() => import('./pages/software-list/software-list-page.tsx'), 'SoftwareListPage'),
      },
      {
        path: PASSWORD_PATH,
        loader: requireSession,
        lazy: page(() => import('./pages/login/change-password-page.tsx'), 'ChangePasswordPage'),
      },
      {
        id: 'protected',
        loader: requireSession,
        shouldRevalidate: ({ currentUrl, nextUrl }) => currentUrl.pathname !== nextUrl.pathname,
        lazy: page(loadFrame, 'Frame'),
        children: [
          {
            ErrorBoundary: CrashPage,
            children: [
              { path: '/', loader: start, Component: Nothing },
              { path: '/dashboard', lazy: page(loadDashboard, 'DashboardPage') },
              { path: '/tools', loader: () => redirect('/tools/projects'), Component: Nothing },
              {
                loader: requireGroups,
                children: [
                  {
                    path: '/secondary-analysis/launch',
                    loader: ({ request }) =>
                      redirect(`/secondary-analysis/launch/start-from${new URL(request.url).search}`),
                  },
                  {
                    path: '/secondary-analysis/launch/:step',
                    lazy: page(() => import('./pages/launch/launch-page.tsx'), 'LaunchPage'),
                  },
                  { path: '/secondary-analysis', loader: () => redirect('/secondary-analysis/tasks') },
                  {
                    path: '/secondary-analysis/tasks',
                    lazy: page(loadTasks, 'TasksPage'),
                  },
                  {
                    path: '/secondary-analysis/tasks/:id',
                    lazy: page(loadTaskDetail, 'TaskDetailPage'),
                  },
                  {
                    path: '/secondary-analysis/tasks/:id/logfile',
                    lazy: page(() => import('./pages/task-logfile/logfile-page.tsx'), 'LogfilePage'),
                  },
                  {
                    path: '/secondary-analysis/tasks/:id/output',
                    lazy: page(() => import('./pages/task-output/output-page.tsx'), 'OutputPage'),
                  },
                  {
                    path: '/secondary-analysis/tasks/:id/taskinfo',
                    lazy: page(() => import('./pages/task-info/taskinfo-page.tsx'), 'TaskInfoPage'),
                  },
                  {
                    path: '/tools/projects',
                    lazy: page(() => import('./pages/projects/projects-page.tsx'), 'ProjectsPage'),
                  },
                  {
                    path: '/tools/projects/:id',
                    lazy: page(() => import('./pages/project/project-page.tsx'), 'ProjectPage'),
                  },
                  {
                    path: '/tools/projects/:id/upload',
                    lazy: page(() => import('./pages/upload/upload-page.tsx'), 'UploadPage'),
                  },
                ],
              },
              {
                path: '/user-settings',
                lazy: page(() => import('./pages/user-settings/user-settings-page.tsx'), 'UserSettingsPage'),
              },
              { path: '/error', lazy: page(() => import('./pages/error/error-page.tsx'), 'ErrorPage') },
              {
                path: '/system-settings/tasks',
                loader: requireCapability('staff-settings'),
                lazy: page(() => import('./pages/tasks-and-workers/system-tasks-page.tsx'), 'SystemTasksPage'),
              },
              {
                path: '/system-settings/*',
                loader: requireCapability('system-settings'),
                lazy: page(() => import('./pages/error/not-found-page.tsx'), 'NotFoundPage'),
              },
              { path: '*', lazy: page(() => import('./pages/error/not-found-page.tsx'), 'NotFoundPage') },
            ],
          },
        ],
      },
    ],
  },
];

export const createRouter = () => createBrowserRouter(routes);
