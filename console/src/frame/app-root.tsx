import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { Outlet, useLocation, useNavigate } from 'react-router-dom';
import { ReconnectBanner } from '../components/reconnect-banner.tsx';
import { notifications } from '../hooks/notifications.ts';
import { PASSWORD_PATH, passwordPath } from '../session/safe-next.ts';
import { type SessionEnd, session } from '../session/session.ts';

// Kept out of the entry: a page without a message does not need it.
const Toasts = lazy(() => import('./frame.tsx').then((module) => ({ default: module.Toasts })));

/** Redirects to /login 0.5 s after the authentication failed ([ERR-02]). */
export const REDIRECT_DELAY_MS = 500;

/** Root of every page, logged in or not: toasts, the reconnecting banner and the redirect when the session ends. */
export function AppRoot() {
  useLeaveAtSessionEnd();
  useLeaveForPasswordChange();
  return (
    <>
      <ReconnectBanner />
      <Suspense fallback={null}>
        <Toasts />
      </Suspense>
      <Outlet />
    </>
  );
}

function useLeaveAtSessionEnd(): void {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const queries = useQueryClient();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const leave = (reason: SessionEnd) => {
      const here = `${window.location.pathname}${window.location.search}`;
      const next = reason === 'logout' ? '' : `?next=${encodeURIComponent(here)}`;
      // Clears the user's data after the pages are closed, because an open page would fetch them again.
      void Promise.resolve(navigate(`/login${next}`)).then(() => queries.clear());
    };
    const stop = session.onEnd((reason) => {
      if (reason !== 'forbidden') return leave(reason);
      const id = notifications.add({ variant: 'danger', title: t('errors.generic.forbidden') });
      timer = setTimeout(() => {
        notifications.remove(id);
        leave(reason);
      }, REDIRECT_DELAY_MS);
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [navigate, queries, t]);
}

/** Redirects to the page that changes the password, and then back to this page. */
function useLeaveForPasswordChange(): void {
  const navigate = useNavigate();
  const { pathname, search } = useLocation();
  useEffect(
    () =>
      session.onPasswordChangeRequired(() => {
        if (pathname !== PASSWORD_PATH) void navigate(passwordPath(pathname + search), { replace: true });
      }),
    [navigate, pathname, search],
  );
}
