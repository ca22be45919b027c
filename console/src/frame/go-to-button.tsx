import { Button } from '@patternfly/react-core';
import SearchIcon from '@patternfly/react-icons/dist/esm/icons/search-icon';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useShortcuts } from '../hooks/use-shortcuts.ts';

const GoToModal = lazy(async () => ({ default: (await import('./go-to-modal.tsx')).GoToModal }));

/** "Go to…" of the masthead; `/` opens it from every page. */
export function GoToButton() {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  useShortcuts([{ key: '/', text: t('frame.go_to'), run: () => setOpen(true) }]);
  return (
    <>
      <Button variant="plain" icon={<SearchIcon />} onClick={() => setOpen(true)} aria-label={t('frame.go_to')} />
      {isOpen && (
        <Suspense fallback={null}>
          <GoToModal onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
