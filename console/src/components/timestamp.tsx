import { useTranslation } from 'react-i18next';
import { age, utcTime } from './format.ts';

/** A time in UTC, `YYYY-MM-DD HH:mm:ss`; hover shows how long ago. `–` when there is none. */
export function Timestamp({ value }: { value: string | Date | null | undefined }) {
  const { i18n } = useTranslation();
  const text = value ? utcTime(value) : undefined;
  if (!value || !text) return <span>–</span>;
  const { value: n, unit } = age(new Date(value), new Date());
  const relative = new Intl.RelativeTimeFormat(i18n.language, { numeric: 'auto' }).format(-n, unit);
  return (
    <time className="sp-time" dateTime={new Date(value).toISOString()} title={`${relative} (UTC)`}>
      {text}
    </time>
  );
}
