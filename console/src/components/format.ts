/** Numbers and times as SCREENS 2 writes them. Pure; the words around them come from the locale files. */

/** SPEC 9: storage is shown in GB; 1 GB = 1024^3 bytes, as quotas are counted. */
export const BYTES_PER_GB = 1024 ** 3;

/** UTC `YYYY-MM-DD HH:mm:ss` (SPEC 9), or undefined when the text is no time. */
export function utcTime(value: string | Date): string | undefined {
  const time = new Date(value);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString().slice(0, 19).replace('T', ' ');
}

/** Bytes as GB with one decimal ("12.4"); below 0.1 GB two significant digits, so that small is not zero. */
export function gigabytes(bytes: number): string {
  const gb = bytes / BYTES_PER_GB;
  if (gb === 0) return '0';
  if (gb >= 100) return Math.round(gb).toLocaleString('en');
  return gb >= 0.1 ? gb.toFixed(1) : String(Number(gb.toPrecision(2)));
}

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'];

/** The size of one file in the unit that suits it ("41.2 MB"). */
export function fileSize(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${UNITS[unit]}`;
}

/** A count with its thousands grouped: 12,480. */
export function count(value: number): string {
  return value.toLocaleString('en');
}

/** A duration as hours, minutes, seconds; the caller picks the two largest that are not 0. */
export function durationParts(ms: number): { h: number; min: number; s: number } {
  const seconds = Math.max(0, Math.round(ms / 1000));
  return { h: Math.floor(seconds / 3600), min: Math.floor((seconds % 3600) / 60), s: seconds % 60 };
}

/** Seconds since a time, and the unit to say it in ("3 min ago"). */
export function age(from: Date, now: Date): { value: number; unit: 'second' | 'minute' | 'hour' | 'day' } {
  const seconds = Math.max(0, Math.round((now.getTime() - from.getTime()) / 1000));
  if (seconds < 60) return { value: seconds, unit: 'second' };
  if (seconds < 3600) return { value: Math.floor(seconds / 60), unit: 'minute' };
  if (seconds < 86_400) return { value: Math.floor(seconds / 3600), unit: 'hour' };
  return { value: Math.floor(seconds / 86_400), unit: 'day' };
}
