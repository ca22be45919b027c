import {
  MenuToggle,
  Select,
  SelectList,
  SelectOption,
  TextInputGroup,
  TextInputGroupMain,
} from '@patternfly/react-core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

interface ChoiceProps {
  id: string;
  label: string;
  value: string;
  placeholder: string;
  options: { value: string; text: string; description?: string }[];
  onChange: (value: string) => void;
  isDisabled?: boolean;
}

/** Number of options from which the list can be searched. */
const SEARCH_FROM = 8;

/** Selects one option of a list with descriptions. A long list can be searched. */
export function Choice({ id, label, value, placeholder, options, onChange, isDisabled }: ChoiceProps) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const [typed, setTyped] = useState('');
  const chosen = options.find((option) => option.value === value);
  const searchable = options.length >= SEARCH_FROM;
  const shown = options.filter((option) =>
    `${option.text} ${option.description ?? ''}`.toLowerCase().includes(typed.toLowerCase()),
  );
  const toggleOpen = () => setOpen((now) => !now);
  return (
    <Select
      isOpen={isOpen}
      isScrollable
      selected={value}
      onOpenChange={(open) => {
        setOpen(open);
        if (!open) setTyped('');
      }}
      onSelect={(_event, next) => {
        onChange(String(next));
        setOpen(false);
        setTyped('');
      }}
      toggle={(ref) =>
        searchable ? (
          <MenuToggle
            ref={ref}
            variant="typeahead"
            isFullWidth
            isDisabled={isDisabled === true}
            onClick={toggleOpen}
            isExpanded={isOpen}
            aria-label={label}
          >
            <TextInputGroup isPlain isDisabled={isDisabled === true}>
              <TextInputGroupMain
                inputId={id}
                value={isOpen ? typed : (chosen?.text ?? '')}
                placeholder={placeholder}
                onClick={toggleOpen}
                onChange={(_event, text) => {
                  setTyped(text);
                  setOpen(true);
                }}
                aria-label={label}
                autoComplete="off"
              />
            </TextInputGroup>
          </MenuToggle>
        ) : (
          <MenuToggle
            ref={ref}
            id={id}
            isFullWidth
            isDisabled={isDisabled === true}
            onClick={toggleOpen}
            isExpanded={isOpen}
            aria-label={`${label}: ${chosen?.text ?? placeholder}`}
          >
            <span translate="no">{chosen?.text ?? placeholder}</span>
          </MenuToggle>
        )
      }
    >
      <SelectList aria-label={label}>
        {shown.map((option) => (
          <SelectOption key={option.value} value={option.value} description={option.description}>
            <span translate="no">{option.text}</span>
          </SelectOption>
        ))}
        {shown.length === 0 && <SelectOption isDisabled>{t('table.filtered_title')}</SelectOption>}
      </SelectList>
    </Select>
  );
}
