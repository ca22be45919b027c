/** Streams rows into a table with COPY, so that memory does not grow with their number. */

import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Knex } from 'knex';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';

export type CopyValue = string | number | boolean | null | undefined | readonly string[] | Record<string, unknown>;

const ROWS_A_CHUNK = 500;

/**
 * Copies rows in the order of `columns` and returns their number. Table and column names must be constants, never user
 * input.
 */
export async function copyRows(
  trx: Knex.Transaction,
  table: string,
  columns: readonly string[],
  rows: AsyncIterable<readonly CopyValue[]> | Iterable<readonly CopyValue[]>,
): Promise<number> {
  let count = 0;
  async function* chunks(): AsyncGenerator<string> {
    let lines: string[] = [];
    for await (const row of rows) {
      count++;
      lines.push(`${row.map(encode).join('\t')}\n`);
      if (lines.length === ROWS_A_CHUNK) {
        yield lines.join('');
        lines = [];
      }
    }
    if (lines.length > 0) yield lines.join('');
  }
  // Inside a transaction, knex returns the transaction's own connection.
  const connection = (await trx.client.acquireConnection()) as pg.Client;
  const stream = connection.query(copyFrom(`COPY ${table} (${columns.join(', ')}) FROM STDIN`));
  await pipeline(Readable.from(chunks()), stream);
  return count;
}

function encode(value: CopyValue): string {
  if (value === null || value === undefined) return '\\N';
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : '\\N';
  if (typeof value === 'boolean') return value ? 't' : 'f';
  if (Array.isArray(value)) return escaped(`{${value.map((item) => `"${item.replace(/["\\]/g, '\\$&')}"`).join(',')}}`);
  return escaped(typeof value === 'string' ? value : JSON.stringify(value));
}

const escaped = (text: string): string =>
  /[\\\t\n\r]/.test(text)
    ? text.replaceAll('\\', '\\\\').replaceAll('\t', '\\t').replaceAll('\n', '\\n').replaceAll('\r', '\\r')
    : text;
