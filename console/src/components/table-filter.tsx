import {
  InputGroup,
  MenuToggle,
  type MenuToggleElement,
  Select,
  SelectList,
  SelectOption,
  TextInput,
  ToolbarFilter,
} from '@patternfly/react-core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { UrlTable } from '../hooks/use-url-table-state.ts';

/** Filter of a list: a choice among options, or a typed text or day. */
export interface TableFilter {
  key: string;
  title: string;
  kind?: 'choice' | 'text' | 'date';
  options?: { value: string; text: string }[];
}

/** The control of a filter with its chips. */
export function FilterItem({ filter, table }: { filter: TableFilter; table: UrlTable }) {
  const { t } = useTranslation();
  const values = table.filters[filter.key] ?? [];
  const textOf = (value: string) => filter.options?.find((option) => option.value === value)?.text ?? value;
  return (
    <ToolbarFilter
      categoryName={{ key: filter.key, name: filter.title }}
      labels={values.map((value) => ({ key: value, node: textOf(value) }))}
      deleteLabel={(_category, label) =>
        table.setFilter(
          filter.key,
          values.filter((value) => value !== (typeof label === 'string' ? label : label.key)),
        )
      }
      deleteLabelGroup={() => table.setFilter(filter.key, [])}
      labelGroupExpandedText={t('table.show_less')}
    >
      {filter.kind === 'text' ? (
        <InputGroup>
          <TextInput
            type="text"
            aria-label={filter.title}
            placeholder={filter.title}
            defaultValue={values[0] ?? ''}
            key={values[0] ?? ''}
            onBlur={(event) => {
              const next = event.currentTarget.value;
              if (next !== (values[0] ?? '')) table.setFilter(filter.key, next ? [next] : []);
            }}
            onKeyDown={(event) => event.key === 'Enter' && event.currentTarget.blur()}
          />
        </InputGroup>
      ) : (
        <ChoiceFilter filter={filter} values={values} table={table} />
      )}
    </ToolbarFilter>
  );
}

function ChoiceFilter({ filter, values, table }: { filter: TableFilter; values: string[]; table: UrlTable }) {
  const [isOpen, setOpen] = useState(false);
  const multiple = table.definition.filters?.[filter.key]?.multiple === true;
  const choose = (value: string) => {
    const without = values.filter((other) => other !== value);
    const isChosen = without.length !== values.length;
    table.setFilter(filter.key, isChosen ? without : multiple ? [...values, value] : [value]);
    if (!multiple) setOpen(false);
  };
  return (
    <Select
      role="menu"
      isOpen={isOpen}
      onOpenChange={setOpen}
      onSelect={(_event, value) => choose(String(value))}
      toggle={(ref: React.Ref<MenuToggleElement>) => (
        <MenuToggle ref={ref} onClick={() => setOpen(!isOpen)} isExpanded={isOpen}>
          {filter.title}
        </MenuToggle>
      )}
    >
      <SelectList aria-label={filter.title}>
        {(filter.options ?? []).map((option) => (
          <SelectOption
            key={option.value}
            value={option.value}
            isSelected={values.includes(option.value)}
            {...(multiple ? { hasCheckbox: true } : {})}
          >
            {option.text}
          </SelectOption>
        ))}
      </SelectList>
    </Select>
  );
}
