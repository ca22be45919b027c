/**
 * An append-only log, like kine's: each write is a row whose key is the global resourceVersion. A replaced row refers to
 * its successor, so both a list at an older version and the event behind a row are a single query.
 */

import { DatabaseSync, type StatementSync } from 'node:sqlite';

/** Identifies an object: `kind` is the resource (`jobs.batch`); `ns` is empty for cluster-scoped ones. */
export interface Key {
  kind: string;
  ns: string;
  name: string;
}

/** One version of an object; `object` is JSON that contains its resourceVersion. */
export interface Row extends Key {
  rv: number;
  object: string;
  deleted: number;
}

/** A row with the version it replaced, from which ADDED, MODIFIED and DELETED follow for any selector. */
export interface Change extends Row {
  previous: string | null;
}

const SCHEMA = `
CREATE TABLE IF NOT EXISTS log (
  rv INTEGER PRIMARY KEY, kind TEXT NOT NULL, ns TEXT NOT NULL, name TEXT NOT NULL,
  object TEXT NOT NULL, deleted INTEGER NOT NULL, successor INTEGER);
CREATE INDEX IF NOT EXISTS log_key ON log (kind, ns, name, rv);
CREATE UNIQUE INDEX IF NOT EXISTS log_live ON log (kind, ns, name) WHERE successor IS NULL;
CREATE INDEX IF NOT EXISTS log_change ON log (kind, rv);
CREATE INDEX IF NOT EXISTS log_successor ON log (successor) WHERE successor IS NOT NULL;
CREATE TABLE IF NOT EXISTS meta (compacted INTEGER NOT NULL, latest INTEGER NOT NULL);
INSERT INTO meta SELECT 0, 0 WHERE NOT EXISTS (SELECT 1 FROM meta);`;

/** Condition for the rows that were current at a version, after a key. Parameters: kind, ns, rv twice, ns and name. */
const livingAt = (ns: string): string =>
  `kind=? AND ${ns ? 'ns=?' : "?=''"} AND deleted=0 AND rv<=? AND (successor IS NULL OR successor>?) AND (ns, name) > (?, ?)`;

/** The store. Only one process can open it (SQLite's exclusive lock, released when the process ends). */
export class Store {
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  readonly #listeners: ((changes: Change[]) => void)[] = [];
  #rv: number;
  #compacted: number;
  #depth = 0;
  #pending: Change[] = [];

  /** `file` may be `:memory:`. Throws when another process has it open. */
  constructor(file: string) {
    this.#db = new DatabaseSync(file);
    // A process that was just killed may still hold the lock.
    this.#db.exec(
      'PRAGMA busy_timeout=5000; PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;',
    );
    this.#db.exec('PRAGMA cache_size=-4000; PRAGMA journal_size_limit=16777216;');
    this.#db.exec(SCHEMA);
    const meta = this.#one('SELECT compacted, latest FROM meta') as { compacted: number; latest: number };
    const last = this.#one('SELECT coalesce(max(rv), 0) AS rv FROM log') as { rv: number };
    this.#compacted = meta.compacted;
    this.#rv = Math.max(meta.latest, last.rv, 1);
  }

  /** The newest resourceVersion. */
  get rv(): number {
    return this.#rv;
  }

  /** Versions up to this one may be compacted. */
  get compacted(): number {
    return this.#compacted;
  }

  /** Calls the listener after each commit, with rows in order. */
  onCommit(listener: (changes: Change[]) => void): void {
    this.#listeners.push(listener);
  }

  /** Runs `work` in one transaction with one fsync; an exception rolls it back. Nested calls join the outer one. */
  transaction<T>(work: () => T): T {
    if (this.#depth > 0) return work();
    const before = this.#rv;
    this.#db.exec('BEGIN IMMEDIATE');
    this.#depth++;
    let result: T;
    try {
      result = work();
      this.#db.exec('COMMIT');
    } catch (error) {
      this.#db.exec('ROLLBACK');
      this.#rv = before;
      this.#pending = [];
      throw error;
    } finally {
      this.#depth--;
    }
    const changes = this.#pending;
    this.#pending = [];
    if (changes.length > 0) for (const listener of this.#listeners) listener(changes);
    return result;
  }

  /** Appends a version; `render` inserts the resourceVersion into the object. */
  append(key: Key, deleted: boolean, render: (rv: number) => string): string {
    return this.transaction(() => {
      const rv = ++this.#rv;
      const object = render(rv);
      const live = this.#one(
        'SELECT rv, object, deleted FROM log WHERE kind=? AND ns=? AND name=? AND successor IS NULL',
        key.kind,
        key.ns,
        key.name,
      ) as Row | undefined;
      if (live) this.#run('UPDATE log SET successor=? WHERE rv=?', rv, live.rv);
      this.#run(
        'INSERT INTO log (rv, kind, ns, name, object, deleted) VALUES (?,?,?,?,?,?)',
        rv,
        key.kind,
        key.ns,
        key.name,
        object,
        deleted ? 1 : 0,
      );
      this.#pending.push({
        ...key,
        rv,
        object,
        deleted: deleted ? 1 : 0,
        previous: live && !live.deleted ? live.object : null,
      });
      return object;
    });
  }

  /** Returns the current version. */
  get({ kind, ns, name }: Key): Row | undefined {
    return this.#one(
      'SELECT * FROM log WHERE kind=? AND ns=? AND name=? AND successor IS NULL AND deleted=0',
      kind,
      ns,
      name,
    ) as Row | undefined;
  }

  /** Returns the objects of a kind at version `rv`, sorted by name; `after` is the last key of the previous page. */
  list(
    kind: string,
    ns = '',
    rv = this.#rv,
    limit = -1,
    after: { ns: string; name: string } = { ns: '', name: '' },
  ): Row[] {
    return this.#all(
      `SELECT * FROM log WHERE ${livingAt(ns)} ORDER BY ns, name LIMIT ?`,
      ...[kind, ns, rv, rv, after.ns, after.name, limit],
    ) as unknown as Row[];
  }

  /** Number of objects that `list` would return. */
  count(kind: string, ns: string, rv: number, after: { ns: string; name: string }): number {
    const row = this.#one(
      `SELECT count(*) AS n FROM log WHERE ${livingAt(ns)}`,
      ...[kind, ns, rv, rv, after.ns, after.name],
    );
    return (row as { n: number }).n;
  }

  /** Returns the changes of a kind after `rv`, oldest first. */
  changes(kind: string, ns: string, rv: number, limit = 500): Change[] {
    return this.#all(
      `SELECT l.*, p.object AS previous FROM log l LEFT JOIN log p ON p.successor = l.rv AND p.deleted = 0
       WHERE l.kind=? AND ${ns ? 'l.ns=?' : "?=''"} AND l.rv>? ORDER BY l.rv LIMIT ?`,
      kind,
      ns,
      rv,
      limit,
    ) as unknown as Change[];
  }

  /** Returns every current object; used once, at start. */
  *everything(): Iterable<Row> {
    for (const row of this.#db.prepare('SELECT * FROM log WHERE successor IS NULL AND deleted=0').iterate())
      yield row as unknown as Row;
  }

  /** Deletes replaced versions and deletions up to `rv`. */
  compact(rv: number): void {
    if (rv <= this.#compacted) return;
    this.transaction(() => {
      this.#run('DELETE FROM log WHERE successor <= ?', rv);
      this.#run('DELETE FROM log WHERE deleted = 1 AND rv <= ?', rv);
      this.#run('UPDATE meta SET compacted = ?, latest = ?', rv, this.#rv);
    });
    this.#compacted = rv;
  }

  /** Syncs and closes. */
  close(): void {
    this.#statements.clear();
    this.#db.close();
  }

  #prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.#db.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
  #run(sql: string, ...values: (string | number)[]): void {
    this.#prepare(sql).run(...values);
  }
  #one(sql: string, ...values: (string | number)[]): unknown {
    return this.#prepare(sql).get(...values);
  }
  #all(sql: string, ...values: (string | number)[]): unknown[] {
    return this.#prepare(sql).all(...values);
  }
}
