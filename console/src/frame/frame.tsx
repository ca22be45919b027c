import { Page, PageSection } from '@patternfly/react-core';
import { Suspense, useCallback, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Outlet, useLocation } from 'react-router-dom';
import { ShortcutsModal } from '../components/shortcuts-modal.tsx';
import { useEscape, useRegionKeys } from '../hooks/use-region-keys.ts';
import { useShortcuts } from '../hooks/use-shortcuts.ts';
import { useUploadWatch } from '../uploads/use-upload-watch.ts';
import { AppMasthead } from './app-masthead.tsx';
import { AppSidebar } from './app-sidebar.tsx';
import { Footer } from './footer.tsx';
import { IdleGuard } from './idle-guard.tsx';
import { NotificationsDrawer } from './notifications-drawer.tsx';
import { PasswordNotice } from './password-notice.tsx';
import { SkipLinks } from './skip-links.tsx';
import { useTaskWatch } from './use-task-watch.ts';

/** Part of the frame's chunk, which most visits load anyway. */
export { Toasts } from '../components/toasts.tsx';

const SIDEBAR_KEY = 'seqpanel.sidebar';
const MAIN_ID = 'main';

/** Masthead, sidebar, footer and the page between them. */
export function Frame() {
  const { t } = useTranslation();
  const { pathname } = useLocation();
  const [isSidebarOpen, setSidebarOpen] = useState(
    () => window.innerWidth >= 1200 && window.localStorage.getItem(SIDEBAR_KEY) !== 'closed',
  );
  const [isDrawerOpen, setDrawerOpen] = useState(false);
  const [showsShortcuts, setShowsShortcuts] = useState(false);
  const closeDrawer = useCallback(() => setDrawerOpen(false), []);
  useUploadWatch();
  useTaskWatch();
  useRegionKeys();
  useEscape(isDrawerOpen, closeDrawer);
  useShortcuts([{ key: '?', text: t('frame.shortcuts'), run: () => setShowsShortcuts(true) }]);

  const toggleSidebar = () => {
    if (window.innerWidth >= 1200) window.localStorage.setItem(SIDEBAR_KEY, isSidebarOpen ? 'closed' : 'open');
    setSidebarOpen(!isSidebarOpen);
  };

  return (
    <Page
      masthead={
        <AppMasthead
          isSidebarOpen={isSidebarOpen}
          onToggleSidebar={toggleSidebar}
          isDrawerOpen={isDrawerOpen}
          onToggleDrawer={() => setDrawerOpen(!isDrawerOpen)}
          onShortcuts={() => setShowsShortcuts(true)}
        />
      }
      sidebar={<AppSidebar isOpen={isSidebarOpen} />}
      skipToContent={<SkipLinks main={MAIN_ID} />}
      mainContainerId={MAIN_ID}
      isContentFilled
      notificationDrawer={<NotificationsDrawer onClose={closeDrawer} />}
      isNotificationDrawerExpanded={isDrawerOpen}
    >
      <PasswordNotice />
      <Suspense fallback={null} key={pathname}>
        <Outlet />
      </Suspense>
      <PageSection hasBodyWrapper={false} isFilled={false} className="sp-footer">
        <Footer />
      </PageSection>
      <IdleGuard />
      {showsShortcuts && <ShortcutsModal onClose={() => setShowsShortcuts(false)} />}
    </Page>
  );
}
