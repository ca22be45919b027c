import { MenuToggle, type MenuToggleElement, Select, SelectList, SelectOption } from '@patternfly/react-core';
import ColumnsIcon from '@patternfly/react-icons/dist/esm/icons/columns-icon';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ShownColumns } from './use-shown-columns.ts';

/** Menu that shows and hides the optional columns of a list. */
export function ColumnChoice({ columns }: { columns: ShownColumns }) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  return (
    <Select
      role="menu"
      isOpen={isOpen}
      onOpenChange={setOpen}
      onSelect={(_event, key) => columns.toggle(String(key))}
      toggle={(ref: React.Ref<MenuToggleElement>) => (
        <MenuToggle
          ref={ref}
          variant="plain"
          icon={<ColumnsIcon />}
          aria-label={t('table.columns')}
          onClick={() => setOpen(!isOpen)}
          isExpanded={isOpen}
        />
      )}
    >
      <SelectList aria-label={t('table.columns')}>
        {columns.choices.map((choice) => (
          <SelectOption key={choice.key} value={choice.key} hasCheckbox isSelected={choice.isShown}>
            {choice.title}
          </SelectOption>
        ))}
      </SelectList>
    </Select>
  );
}
