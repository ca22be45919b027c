import { Nav, NavGroup, NavItem, NavList, PageSidebar, PageSidebarBody } from '@patternfly/react-core';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'react-router-dom';
import { useGroup } from '../hooks/use-group.ts';
import { useSession } from '../hooks/use-session.ts';
import { can } from '../session/capabilities.ts';
import { NAVIGATION } from './navigation.ts';

/** Lists the pages that this user may open. Links keep the chosen group. */
export function AppSidebar({ isOpen }: { isOpen: boolean }) {
  const { t } = useTranslation();
  const { pathname } = useLocation();
  const { param } = useGroup();
  const session = useSession();
  const headings = NAVIGATION.filter((heading) => !('needs' in heading) || can(session, heading.needs));
  const item = (to: string, text: string) => (
    <NavItem key={to} itemId={to} isActive={pathname === to || pathname.startsWith(`${to}/`)}>
      <Link to={`${to}${param}`} aria-current={pathname === to ? 'page' : undefined}>
        {text}
      </Link>
    </NavItem>
  );
  return (
    <PageSidebar isSidebarOpen={isOpen} id="sidebar">
      <PageSidebarBody>
        <Nav aria-label={t('frame.navigation')}>
          {headings.map(({ group, items }) =>
            group === undefined ? (
              <NavList key="top">{items.map(({ to, key }) => item(to, t(key)))}</NavList>
            ) : (
              <NavGroup key={group} title={t(group)}>
                {items.map(({ to, key }) => item(to, t(key)))}
              </NavGroup>
            ),
          )}
        </Nav>
      </PageSidebarBody>
    </PageSidebar>
  );
}
