import { useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import { reconnect } from '../api/reconnect.ts';
import { RETRIES } from '../api/session-fetch.ts';

/** "Reconnecting… 3/5" while calls are retried. Part of the entry, because nothing can be loaded without a server. */
export function ReconnectBanner() {
  const { t } = useTranslation();
  const attempt = useSyncExternalStore(reconnect.subscribe, reconnect.get);
  if (attempt === 0) return null;
  return (
    <div className="sp-reconnect" role="status">
      <span className="pf-v6-screen-reader">{t('frame.reconnecting_reader')}</span>{' '}
      {t('frame.reconnecting', { n: attempt, max: RETRIES })}
    </div>
  );
}
