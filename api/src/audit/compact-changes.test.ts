import { describe, expect, test } from '@jest/globals';
import { compactChanges, MAX_CHANGES } from './compact-changes.ts';

const rows = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => ({ amplicon: `A${from + i}`, start: 1, end: 200 }));
const size = (value: unknown) => JSON.stringify(value).length;

describe('the changes of an audit entry', () => {
  test('[AUDIT-04] stay unchanged while they are small', () => {
    const changes = [{ field: 'name', from: 'a', to: 'b' }];
    expect(compactChanges(changes)).toEqual(changes);
  });

  test('[AUDIT-04] of a big list are its added and removed items', () => {
    const [change, ...more] = compactChanges([{ field: 'members', from: rows(0, 5_000), to: rows(1, 5_002) }]);
    expect(more).toEqual([]);
    expect(change).toMatchObject({
      field: 'members',
      from: { items: 5_000, removed: [{ amplicon: 'A0' }], sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
      to: { items: 5_001, added: [{ amplicon: 'A5000' }, { amplicon: 'A5001' }] },
    });
    expect(size(change)).toBeLessThan(1_000);
  });

  test('[AUDIT-04] of a big object are one per differing field', () => {
    const before = { useDefault: true, rows: rows(0, 5_000) };
    expect(compactChanges([{ field: 'roi', from: before, to: { ...before, useDefault: false } }])).toEqual([
      { field: 'roi.useDefault', from: true, to: false },
    ]);
  });

  test('of a big text are its hash and length', () => {
    expect(compactChanges([{ field: 'notes', from: null, to: 'x'.repeat(10_000) }])).toEqual([
      { field: 'notes', from: null, to: { sha256: expect.any(String), characters: 10_002 } },
    ]);
  });

  test.each([
    ['lists', { from: rows(0, 1_000), to: rows(1_000, 2_000) }],
    ['objects', { from: null, to: Object.fromEntries(rows(0, 1_000).map((row) => [row.amplicon, row])) }],
    ['keys', { from: null, to: { ['k'.repeat(1_000_000)]: 'v'.repeat(1_000_000) } }],
  ])('never exceed 64 KiB: huge %s', (_what, change) => {
    const many = Array.from({ length: 20 }, (_, i) => ({ field: `f${i}`, ...change }));
    expect(size(compactChanges(many))).toBeLessThanOrEqual(MAX_CHANGES);
    expect(compactChanges(many).length).toBeGreaterThan(1);
  });
});
