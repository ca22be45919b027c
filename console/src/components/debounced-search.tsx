import { SearchInput } from '@patternfly/react-core';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';

const PAUSE_MS = 400;

interface DebouncedSearchProps {
  value: string;
  onChange: (value: string) => void;
  placeholder: string;
}

/** Search field that reports a value after a pause in typing, or at once on Enter; follows `value`, as on Back. */
export function DebouncedSearch({ value, onChange, placeholder }: DebouncedSearchProps) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => setTyped(value), [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const report = (next: string, wait: number) => {
    setTyped(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => onChange(next), wait);
  };
  return (
    <SearchInput
      aria-label={placeholder}
      placeholder={placeholder}
      value={typed}
      resetButtonLabel={t('table.clear_search')}
      onChange={(_event, next) => report(next, PAUSE_MS)}
      onKeyDown={(event) => event.key === 'Enter' && report(typed, 0)}
      onClear={() => report('', 0)}
    />
  );
}
