import { Banner } from '@patternfly/react-core';
import { useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import { reconnect } from '../api/reconnect.ts';
import { RETRIES } from '../api/session-fetch.ts';

/** "Reconnecting… 3/5" while calls are retried. */
export function ReconnectBanner() {
  const { t } = useTranslation();
  const attempt = useSyncExternalStore(reconnect.subscribe, reconnect.get);
  if (attempt === 0) return null;
  return (
    <Banner color="yellow" isSticky screenReaderText={t('frame.reconnecting_reader')} role="status">
      {t('frame.reconnecting', { n: attempt, max: RETRIES })}
    </Banner>
  );
}
