import {
  Divider,
  Dropdown,
  DropdownItem,
  DropdownList,
  MenuToggle,
  type MenuToggleElement,
} from '@patternfly/react-core';
import { type Ref, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { useGroup } from '../hooks/use-group.ts';
import { useSession } from '../hooks/use-session.ts';
import { logout } from '../queries/auth.ts';

/** Menu with user settings and logout. */
export function UserMenu() {
  const { t } = useTranslation();
  const session = useSession();
  const navigate = useNavigate();
  const { param } = useGroup();
  const [isOpen, setOpen] = useState(false);
  return (
    <Dropdown
      isOpen={isOpen}
      onOpenChange={setOpen}
      onSelect={() => setOpen(false)}
      popperProps={{ position: 'right', appendTo: 'inline' }}
      toggle={(ref: Ref<MenuToggleElement>) => (
        <MenuToggle
          ref={ref}
          variant="plainText"
          onClick={() => setOpen(!isOpen)}
          isExpanded={isOpen}
          aria-label={t('frame.user_menu', { name: session?.username ?? '' })}
        >
          <span translate="no">{session?.username}</span>
        </MenuToggle>
      )}
    >
      <DropdownList>
        <DropdownItem onClick={() => void navigate(`/user-settings${param}`)}>{t('frame.user_settings')}</DropdownItem>
        <Divider component="li" />
        <DropdownItem onClick={() => void logout()}>{t('frame.log_out')}</DropdownItem>
      </DropdownList>
    </Dropdown>
  );
}
