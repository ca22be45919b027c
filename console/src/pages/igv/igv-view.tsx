import { Alert } from '@patternfly/react-core';
import igv from 'igv';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { IgvSources } from '../../queries/results.ts';
import { session } from '../../session/session.ts';
import { igvConfig } from './igv-config.ts';

/**
 * igv.js resets inherited styles and draws on white, so its texts and fields must not become white in the dark theme.
 */
function keepLight(root: ShadowRoot | null): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('.igv-container { color-scheme: light; }');
  root?.adoptedStyleSheets.push(sheet);
}

/** Shows one igv.js browser. Another sample gets a new one (by `key`). */
export function IgvView({ sources, locus }: { sources: IgvSources; locus: string | undefined }) {
  const { t } = useTranslation();
  const place = useRef<HTMLElement>(null);
  const [failed, setFailed] = useState<string>();
  const start = useRef(locus);
  const texts = useRef({ reads: t('igv.reads'), coverage: t('igv.coverage'), genes: t('igv.genes') });
  useEffect(() => {
    const container = place.current;
    if (!container) return;
    let gone = false;
    let browser: unknown;
    // Uses its own container, because a browser that is created after the page was left must not appear (igv.js #1591).
    const inner = container.appendChild(document.createElement('div'));
    const config = igvConfig(
      sources,
      window.location.origin,
      texts.current,
      () => session.get()?.token ?? '',
      start.current,
    );
    igv
      .createBrowser(inner, config as never)
      .then((made: unknown) => {
        browser = made;
        if (gone) igv.removeBrowser(made as never);
        else keepLight(inner.shadowRoot);
      })
      .catch((error: unknown) => !gone && setFailed(error instanceof Error ? error.message : String(error)));
    return () => {
      gone = true;
      if (browser) igv.removeBrowser(browser as never);
      inner.remove();
    };
  }, [sources]);
  return (
    <>
      {failed && (
        <Alert isInline variant="danger" title={t('igv.failed')}>
          {failed}
        </Alert>
      )}
      <section ref={place} className="sp-igv" aria-label={t('igv.label', { sample: sources.sample })} />
    </>
  );
}
