import { SkipToContent } from '@patternfly/react-core';
import type { MouseEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { focusResults } from '../hooks/use-region-keys.ts';

/** The first two stops of Tab: the page, and its table or picture. They do not change the address. */
export function SkipLinks({ main }: { main: string }) {
  const { t } = useTranslation();
  const focusMain = () => document.getElementById(main)?.focus();
  const jump = (focus: () => void) => (event: MouseEvent) => {
    event.preventDefault();
    focus();
  };
  return (
    <>
      <SkipToContent href={`#${main}`} onClick={jump(focusMain)}>
        {t('frame.skip')}
      </SkipToContent>
      <SkipToContent href={`#${main}`} className="sp-skip-results" onClick={jump(() => focusResults() || focusMain())}>
        {t('frame.skip_results')}
      </SkipToContent>
    </>
  );
}
