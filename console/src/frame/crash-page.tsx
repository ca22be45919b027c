import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useRouteError } from 'react-router-dom';
import { reloadOnce } from '../api/reconnect.ts';
import { randomId } from '../random-id.ts';

/** Messages of browsers for a chunk that failed to load: no connection, or a build older than the server's. */
const CODE_LOST = /dynamically imported module|module script failed|unable to preload/i;

/**
 * Shown when a page crashed. Plain markup, because a component may be the cause. A page whose chunk failed to load
 * reloads when the server answers.
 */
export function CrashPage() {
  const { t } = useTranslation();
  const error = useRouteError();
  const [id] = useState(() => randomId().slice(0, 8));
  const isCodeLost = error instanceof Error && CODE_LOST.test(error.message);
  const [isReloading, setReloading] = useState(false);
  useEffect(() => {
    if (isCodeLost) setReloading(reloadOnce());
  }, [isCodeLost]);
  if (isReloading) {
    return (
      <main className="sp-crash" role="status">
        <h1>{t('errors.generic.unreachable')}</h1>
        <p>{t('errors.page.reloads')}</p>
      </main>
    );
  }
  console.error(`crash ${id}`, error);
  return (
    <main className="sp-crash" role="alert">
      <h1>{t('errors.page.crash_title')}</h1>
      <p>{t('errors.page.crash_body')}</p>
      <p>{t('common.error_quote', { id })}</p>
      <button type="button" onClick={() => window.location.reload()}>
        {t('errors.page.reload')}
      </button>{' '}
      <a href="/dashboard">{t('errors.page.to_dashboard')}</a>
      <details>
        <summary>{t('common.error_details')}</summary>
        <pre translate="no">{error instanceof Error ? error.stack : String(error)}</pre>
      </details>
    </main>
  );
}
