import {
  Masthead,
  MastheadBrand,
  MastheadContent,
  MastheadLogo,
  MastheadMain,
  MastheadToggle,
  NotificationBadge,
  NotificationBadgeVariant,
  PageToggleButton,
  Toolbar,
  ToolbarContent,
  ToolbarGroup,
  ToolbarItem,
} from '@patternfly/react-core';
import type { ComponentProps } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { useNotifications } from '../hooks/use-notify.ts';
import { useUpdateProfile } from '../queries/profile.ts';
import { UploadMeter } from '../uploads/upload-meter.tsx';
import { Brand } from './brand.tsx';
import { GoToButton } from './go-to-button.tsx';
import { GroupSwitcher } from './group-switcher.tsx';
import { HelpMenu } from './help-menu.tsx';
import { LanguageSwitch } from './language-switch.tsx';
import { StorageMeter } from './storage-meter.tsx';
import { UserMenu } from './user-menu.tsx';

interface AppMastheadProps {
  isSidebarOpen: boolean;
  onToggleSidebar: () => void;
  isDrawerOpen: boolean;
  onToggleDrawer: () => void;
  onShortcuts: () => void;
}

/** Defined outside, because a component created on each render would be mounted again each time. */
const BrandLink = (props: ComponentProps<'a'>) => <Link {...props} to="/dashboard" />;

/** Left to right: toggle, brand, group, "Go to…", uploads and storage, notifications, language, help, user. */
export function AppMasthead(props: AppMastheadProps) {
  const { t } = useTranslation();
  const updateProfile = useUpdateProfile();
  const unread = useNotifications().filter(({ read }) => !read);
  return (
    <Masthead>
      <MastheadMain>
        <MastheadToggle>
          <PageToggleButton
            isHamburgerButton
            aria-label={t('frame.toggle_navigation')}
            isSidebarOpen={props.isSidebarOpen}
            onSidebarToggle={props.onToggleSidebar}
            id="sidebar-toggle"
          />
        </MastheadToggle>
        <MastheadBrand>
          <MastheadLogo component={BrandLink}>
            <Brand />
          </MastheadLogo>
        </MastheadBrand>
      </MastheadMain>
      <MastheadContent>
        <Toolbar isFullHeight isStatic>
          <ToolbarContent>
            <ToolbarItem>
              <GroupSwitcher />
            </ToolbarItem>
            <ToolbarItem>
              <GoToButton />
            </ToolbarItem>
            <ToolbarGroup
              variant="action-group-plain"
              align={{ default: 'alignEnd' }}
              gap={{ default: 'gapNone', lg: 'gapMd' }}
            >
              <ToolbarItem>
                <UploadMeter />
              </ToolbarItem>
              <ToolbarItem visibility={{ default: 'hidden', xl: 'visible' }}>
                <StorageMeter />
              </ToolbarItem>
              <ToolbarItem>
                <NotificationBadge
                  variant={
                    unread.some(({ variant }) => variant === 'danger')
                      ? NotificationBadgeVariant.attention
                      : unread.length > 0
                        ? NotificationBadgeVariant.unread
                        : NotificationBadgeVariant.read
                  }
                  count={unread.length}
                  isExpanded={props.isDrawerOpen}
                  onClick={props.onToggleDrawer}
                  aria-label={t('frame.notifications_unread', { n: unread.length })}
                />
              </ToolbarItem>
              <ToolbarItem>
                <LanguageSwitch onChange={(lang) => updateProfile.mutate({ lang })} />
              </ToolbarItem>
              <ToolbarItem>
                <HelpMenu onShortcuts={props.onShortcuts} />
              </ToolbarItem>
              <ToolbarItem>
                <UserMenu />
              </ToolbarItem>
            </ToolbarGroup>
          </ToolbarContent>
        </Toolbar>
      </MastheadContent>
    </Masthead>
  );
}
