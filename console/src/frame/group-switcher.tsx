import { Label, MenuToggle, type MenuToggleElement, Select, SelectList, SelectOption } from '@patternfly/react-core';
import UsersIcon from '@patternfly/react-icons/dist/esm/icons/users-icon';
import { type Ref, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation, useNavigate } from 'react-router-dom';
import { useGroup } from '../hooks/use-group.ts';
import { useSession } from '../hooks/use-session.ts';
import { pageAfterGroupChange } from './navigation.ts';

/** Selects the group of the pages. Asks first when a form is not saved (LeavePrompt). */
export function GroupSwitcher() {
  const { t } = useTranslation();
  const session = useSession();
  const { group } = useGroup();
  const navigate = useNavigate();
  const { pathname } = useLocation();
  const [isOpen, setOpen] = useState(false);
  const groups = session?.groups ?? [];
  if (!group) return null;
  const choose = (id: string) => {
    setOpen(false);
    void navigate(`${pageAfterGroupChange(pathname)}?group=${id}`);
  };
  return (
    <Select
      isOpen={isOpen}
      onOpenChange={setOpen}
      selected={group.id}
      onSelect={(_event, id) => choose(String(id))}
      popperProps={{ appendTo: 'inline' }}
      maxMenuHeight="320px"
      isScrollable
      toggle={(ref: Ref<MenuToggleElement>) => (
        <MenuToggle
          ref={ref}
          icon={<UsersIcon />}
          onClick={() => setOpen(!isOpen)}
          isExpanded={isOpen}
          aria-label={t('frame.group', { name: group.display_name })}
          className="sp-group-toggle"
        >
          <span translate="no">{group.display_name}</span>
        </MenuToggle>
      )}
    >
      <SelectList aria-label={t('frame.groups')}>
        {groups.map((each) => (
          <SelectOption
            key={each.id}
            value={each.id}
            isSelected={each.id === group.id}
            description={each.is_group_admin ? t('frame.group_admin') : t('frame.group_member')}
          >
            <span translate="no">{each.display_name}</span>{' '}
            {each.is_default && <Label isCompact>{t('frame.group_default')}</Label>}
          </SelectOption>
        ))}
      </SelectList>
    </Select>
  );
}
