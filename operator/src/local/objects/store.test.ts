import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Change, Store } from './store.ts';

const key = (name: string, ns = 'a') => ({ kind: 'things', ns, name });
const write = (store: Store, name: string, text: string, deleted = false) =>
  store.append(key(name), deleted, (rv) => JSON.stringify({ text, rv }));
const texts = (rows: { object: string }[]) => rows.map(({ object }) => JSON.parse(object).text);

describe('the append log', () => {
  test('lists objects as of an older version', () => {
    const store = new Store(':memory:');
    write(store, 'x', 'x1');
    write(store, 'y', 'y1');
    const then = store.rv;
    write(store, 'x', 'x2');
    write(store, 'y', '', true);
    expect(texts(store.list('things', 'a'))).toEqual(['x2']);
    expect(texts(store.list('things', 'a', then))).toEqual(['x1', 'y1']);
  });

  test('distinguishes creation, change, deletion and new creation by the previous version', () => {
    const store = new Store(':memory:');
    const from = store.rv;
    write(store, 'x', '1');
    write(store, 'x', '2');
    write(store, 'x', '2', true);
    write(store, 'x', '3');
    const seen = store.changes('things', '', from).map(({ previous, deleted }) => [previous !== null, deleted]);
    expect(seen).toEqual([
      [false, 0],
      [true, 0],
      [true, 1],
      [false, 0],
    ]);
  });

  test('pages in the order of namespace and name', () => {
    const store = new Store(':memory:');
    for (const name of ['c', 'a', 'b']) write(store, name, name);
    store.append(key('0', 'b'), false, () => '{"text":"other"}');
    const first = store.list('things', '', store.rv, 2);
    expect(texts(first)).toEqual(['a', 'b']);
    expect(texts(store.list('things', '', store.rv, 2, first.at(-1)))).toEqual(['c', 'other']);
    expect(store.count('things', 'a', store.rv, first.at(-1)!)).toBe(1);
  });

  test('compaction keeps current objects and newer versions', () => {
    const store = new Store(':memory:');
    write(store, 'x', '1');
    write(store, 'x', '2');
    write(store, 'y', '1');
    write(store, 'y', '', true);
    const then = store.rv;
    write(store, 'x', '3');
    store.compact(then);
    expect(store.compacted).toBe(then);
    expect(texts(store.list('things'))).toEqual(['3']);
    expect(texts(store.list('things', '', then))).toEqual(['2']);
    expect(store.changes('things', '', then)).toHaveLength(1);
  });

  test('a transaction that throws changes nothing and notifies nobody', () => {
    const store = new Store(':memory:');
    const notified: Change[] = [];
    store.onCommit((changes) => notified.push(...changes));
    const before = store.rv;
    expect(() =>
      store.transaction(() => {
        write(store, 'x', '1');
        throw new Error('no');
      }),
    ).toThrow('no');
    expect([store.rv, store.list('things'), notified]).toEqual([before, [], []]);
  });

  test('versions continue after a restart, even if the newest row was compacted', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'seqpanel-store-')), 'store.db');
    const store = new Store(file);
    write(store, 'x', '1');
    write(store, 'x', '', true);
    const last = store.rv;
    store.compact(last);
    store.close();
    const again = new Store(file);
    expect([again.rv, again.compacted]).toEqual([last, last]);
    again.close();
  });
});
