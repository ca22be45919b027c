/** Formats numbers and times. The words around them are in the locale files. */

import i18next from 'i18next';
import { DEFAULT_LANGUAGE } from '../i18n/language.ts';

/** 1 GB = 1024^3 bytes, as quotas are counted. */
export const BYTES_PER_GB = 1024 ** 3;

/** Returns UTC as `YYYY-MM-DD HH:mm:ss` ([I18N-05]), or undefined for a text that is not a time. */
export function utcTime(value: string | Date): string | undefined {
  const time = new Date(value);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString().slice(0, 19).replace('T', ' ');
}

/** Returns bytes as GB: "12,480", "12.4", "0.05"; smaller values are "< 0.01", not zero. */
export function gigabytes(bytes: number): string {
  const gb = bytes / BYTES_PER_GB;
  if (gb === 0) return '0';
  if (gb >= 100) return count(Math.round(gb));
  if (gb >= 0.1) return gb.toFixed(1);
  return gb < 0.01 ? '< 0.01' : gb.toFixed(2);
}

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'];

/** Returns the size of a file in the largest unit that fits ("41.2 MB"). */
export function fileSize(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${UNITS[unit]}`;
}

/** Groups the thousands of a number by the rules of the chosen language: 12,480. */
export function count(value: number): string {
  return value.toLocaleString(i18next.language ?? DEFAULT_LANGUAGE);
}

/** Splits a duration into hours, minutes and seconds. The caller shows the two largest that are not 0. */
export function durationParts(ms: number): { h: number; min: number; s: number } {
  const seconds = Math.max(0, Math.round(ms / 1000));
  return { h: Math.floor(seconds / 3600), min: Math.floor((seconds % 3600) / 60), s: seconds % 60 };
}

/** Returns the time since `from` in its largest whole unit ("3 min ago"). */
export function age(from: Date, now: Date): { value: number; unit: 'second' | 'minute' | 'hour' | 'day' } {
  const seconds = Math.max(0, Math.round((now.getTime() - from.getTime()) / 1000));
  if (seconds < 60) return { value: seconds, unit: 'second' };
  if (seconds < 3600) return { value: Math.floor(seconds / 60), unit: 'minute' };
  if (seconds < 86_400) return { value: Math.floor(seconds / 3600), unit: 'hour' };
  return { value: Math.floor(seconds / 86_400), unit: 'day' };
}

/** Joins sentences with a blank; Chinese has none between sentences. */
export const joinSentences = (sentences: readonly string[]): string => sentences.join(' ').replace(/。 /g, '。');
