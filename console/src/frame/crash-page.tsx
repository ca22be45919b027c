import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useRouteError } from 'react-router-dom';

/**
 * The page itself failed. Plain markup: whatever broke may have been one of the components. A chunk that is gone since an
 * update of the product is fixed by the reload.
 */
export function CrashPage() {
  const { t } = useTranslation();
  const error = useRouteError();
  const [id] = useState(() => crypto.randomUUID().slice(0, 8));
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
