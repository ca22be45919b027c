/**
 * Keeps audit entries small, because the log cannot be trimmed. Small values stay unchanged. A big object is recorded
 * as one change per differing field, a big list as its added and removed items, and any other value as its hash. Pure.
 */

import { createHash } from 'node:crypto';
import { canonicalJson } from '@seqpanel/crds/canonical-json.ts';
import type { Change } from '../db/tables/accounts.ts';

/** Longest value kept unchanged, in characters of JSON. */
export const MAX_VALUE = 4_096;
/** Longest list of changes of an entry, in characters of JSON. */
export const MAX_CHANGES = 64 * 1024;
/** Space reserved for the last change, which counts the omitted ones. */
const RESERVE = 256;

export function compactChanges(changes: readonly Change[]): Change[] {
  const small = changes.flatMap((change) => compactChange(change));
  const kept: Change[] = [];
  let left = MAX_CHANGES - RESERVE;
  for (const change of small) {
    const candidate = sizeOf(change) <= left ? change : digested(change);
    left -= sizeOf(candidate) + 1;
    if (left < 0) break;
    kept.push(candidate);
  }
  const omitted = small.length - kept.length;
  return omitted === 0 ? kept : [...kept, { field: '...', from: null, to: { omitted } }];
}

const sizeOf = (value: unknown): number => (JSON.stringify(value) ?? '').length;
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function compactChange(change: Change): Change[] {
  const { field, from, to } = change;
  if (sizeOf(from) <= MAX_VALUE && sizeOf(to) <= MAX_VALUE) return [change];
  if ((isObject(from) || from === null) && (isObject(to) || to === null)) {
    const keys = new Set([...Object.keys(from ?? {}), ...Object.keys(to ?? {})]);
    return [...keys].flatMap((key) => {
      const [before, after] = [from?.[key] ?? null, to?.[key] ?? null];
      const isSame = canonicalJson(before) === canonicalJson(after);
      return isSame ? [] : compactChange({ field: `${field}.${key.slice(0, 100)}`, from: before, to: after });
    });
  }
  if (Array.isArray(from ?? []) && Array.isArray(to ?? [])) {
    const [before, after] = [(from ?? []) as unknown[], (to ?? []) as unknown[]];
    return [
      {
        field,
        from: from === null ? null : { ...digestOf(from), removed: fitting(without(before, after)) },
        to: to === null ? null : { ...digestOf(to), added: fitting(without(after, before)) },
      },
    ];
  }
  return [digested(change)];
}

function digested({ field, from, to }: Change): Change {
  return { field: field.slice(0, 200), from: digestOf(from), to: digestOf(to) };
}

function digestOf(value: unknown): object | null {
  if (value === null || value === undefined) return null;
  const text = canonicalJson(value);
  const sha256 = createHash('sha256').update(text).digest('hex');
  return { sha256, ...(Array.isArray(value) ? { items: value.length } : { characters: text.length }) };
}

function without(items: readonly unknown[], others: readonly unknown[]): unknown[] {
  const known = new Set(others.map(canonicalJson));
  return items.filter((item) => !known.has(canonicalJson(item)));
}

/** Returns as many of the first items as fit in one value. */
function fitting(items: readonly unknown[]): unknown[] {
  let left = MAX_VALUE;
  const end = items.findIndex((item) => {
    left -= sizeOf(item) + 1;
    return left < 0;
  });
  return end === -1 ? [...items] : items.slice(0, end);
}
