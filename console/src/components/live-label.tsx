import { Label } from '@patternfly/react-core';
import ConnectedIcon from '@patternfly/react-icons/dist/esm/icons/connected-icon';
import DisconnectedIcon from '@patternfly/react-icons/dist/esm/icons/disconnected-icon';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { LiveState } from '../api/live.ts';
import { age } from './format.ts';

/** Shows "Live", or the time of the last update. `updatedAt`: ms, as TanStack's dataUpdatedAt. */
export function LiveLabel({ state, updatedAt }: { state: LiveState; updatedAt: number }) {
  const { t, i18n } = useTranslation();
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (state !== 'down') return;
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [state]);
  if (state !== 'down') {
    return (
      <Label isCompact variant="outline" icon={<ConnectedIcon />}>
        {t('common.live')}
      </Label>
    );
  }
  const { value, unit } = age(new Date(updatedAt), new Date(Math.max(now, updatedAt)));
  const ago = new Intl.RelativeTimeFormat(i18n.language).format(-value, unit);
  return (
    <Label isCompact variant="outline" icon={<DisconnectedIcon />}>
      {t('common.updated_ago', { ago })}
    </Label>
  );
}
