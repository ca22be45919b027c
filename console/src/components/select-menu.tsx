import { MenuToggle, Select, SelectList } from '@patternfly/react-core';
import { type ReactNode, useState } from 'react';

interface SelectMenuProps {
  label: string;
  /** Empty: nothing is selected, and the button shows `placeholder`. */
  value: string;
  placeholder: string;
  onChange: (value: string) => void;
  /** One SelectOption for each value. */
  children: ReactNode;
}

/** Button that shows the selected name and opens the list of all. */
export function SelectMenu({ label, value, placeholder, onChange, children }: SelectMenuProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Select
      isOpen={isOpen}
      isScrollable
      selected={value}
      onOpenChange={setOpen}
      onSelect={(_event, next) => {
        onChange(String(next));
        setOpen(false);
      }}
      toggle={(ref) => (
        <MenuToggle
          ref={ref}
          onClick={() => setOpen(!isOpen)}
          isExpanded={isOpen}
          aria-label={`${label}: ${value || placeholder}`}
        >
          <span translate="no">{value || placeholder}</span>
        </MenuToggle>
      )}
    >
      <SelectList aria-label={label}>{children}</SelectList>
    </Select>
  );
}
