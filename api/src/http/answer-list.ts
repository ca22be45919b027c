/** Streams a list of any length without holding it in memory [API-08]. */
import { once } from 'node:events';
import type { Response } from 'express';
import type { Knex } from 'knex';
import type { PageQuery } from '../db/page.ts';

/** Rows per read. */
export const PIECE = 1_000;
/** Drops a client that reads nothing for this long, because its answer holds one of few database connections. */
const STALL_MS = 30_000;

export interface List<Row> {
  count: number;
  results: Row[];
}

/**
 * Returns a list of at most one piece, as handlers do. Reads a longer one piece by piece from one snapshot of the
 * database, sends it directly and returns nothing.
 */
export async function answerList<Query extends PageQuery, Row>(
  db: Knex,
  res: Response,
  query: Query,
  read: (db: Knex, query: Query) => Promise<List<Row>>,
  piece = PIECE,
): Promise<List<Row> | undefined> {
  const { page = 1, page_size: size = 20 } = query;
  const start = (page - 1) * size;
  const readAt = (from: Knex, offset: number) => {
    const left = start + size - offset;
    return read(from, { ...query, offset, page_size: Math.min(piece, left) });
  };
  if (size <= piece) return await read(db, query);
  const first = await readAt(db, start);
  if (start + first.results.length >= first.count) return first;
  await db.transaction(
    async (trx) => {
      const { count, results } = await readAt(trx, start);
      const end = Math.min(count, start + size);
      res.status(200).type('application/json');
      await write(res, `{"count":${count},"results":[${rowsOf(results)}`);
      for (let offset = start + results.length; offset < end; ) {
        const next = await readAt(trx, offset);
        if (next.results.length === 0) break;
        await write(res, `,${rowsOf(next.results)}`);
        offset += next.results.length;
      }
    },
    { isolationLevel: 'repeatable read', readOnly: true },
  );
  res.end(']}');
  return undefined;
}

const rowsOf = (rows: readonly unknown[]): string => rows.map((row) => JSON.stringify(row)).join(',');

async function write(res: Response, text: string): Promise<void> {
  if (res.destroyed) throw new Error('client disconnected while receiving a list');
  if (!res.write(text)) await once(res, 'drain', { signal: AbortSignal.timeout(STALL_MS) });
}
