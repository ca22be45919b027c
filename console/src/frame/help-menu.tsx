import { Dropdown, DropdownItem, DropdownList, MenuToggle, type MenuToggleElement } from '@patternfly/react-core';
import HelpIcon from '@patternfly/react-icons/dist/esm/icons/help-icon';
import { type Ref, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';

/** Menu with the page's shortcuts and the list of the software. */
export function HelpMenu({ onShortcuts }: { onShortcuts: () => void }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
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
          variant="plain"
          icon={<HelpIcon />}
          onClick={() => setOpen(!isOpen)}
          isExpanded={isOpen}
          aria-label={t('frame.help')}
        />
      )}
    >
      <DropdownList>
        <DropdownItem onClick={onShortcuts}>{t('frame.shortcuts')}</DropdownItem>
        <DropdownItem onClick={() => void navigate('/software-list')}>{t('login.software_list')}</DropdownItem>
      </DropdownList>
    </Dropdown>
  );
}
