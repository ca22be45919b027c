import { useTranslation } from 'react-i18next';
import { durationParts } from './format.ts';

/** Shows a duration as "1 h 04 min", "4 min 09 s" or "9 s"; `–` when it is unknown. */
export function Duration({ ms }: { ms: number | null | undefined }) {
  const { t } = useTranslation();
  if (ms === null || ms === undefined) return <span>–</span>;
  const { h, min, s } = durationParts(ms);
  const pad = (value: number) => String(value).padStart(2, '0');
  const text =
    h > 0
      ? t('common.duration_hours', { h, min: pad(min) })
      : min > 0
        ? t('common.duration_minutes', { min, s: pad(s) })
        : t('common.duration_seconds', { s });
  return <span className="sp-tabular">{text}</span>;
}
