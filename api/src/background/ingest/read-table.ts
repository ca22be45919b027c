/** Reads tables and VCFs of a step line by line: plain, gzip or bgzip (concatenated gzip members). */

import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { NO_VALUE } from '@seqpanel/crds/outputs/table.ts';
import { isMissing, openToRead, type StoragePlace } from '../../storage/inside-storage.ts';

/** Yields the lines of a text file without line ends. Throws ENOENT when the file is missing. */
export async function* linesOf(place: StoragePlace): AsyncGenerator<string> {
  const file = (await openToRead(place)).createReadStream({ highWaterMark: 1 << 16 });
  let stream: Readable = file;
  if (place.name.endsWith('.gz')) {
    const gunzip = createGunzip();
    file.on('error', (error) => gunzip.destroy(error));
    stream = file.pipe(gunzip);
  }
  stream.setEncoding('utf8');
  let rest = '';
  try {
    for await (const chunk of stream as AsyncIterable<string>) {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop()!;
      for (const line of lines) yield line.endsWith('\r') ? line.slice(0, -1) : line;
    }
    if (rest !== '') yield rest;
  } finally {
    file.destroy();
  }
}

/** Cells of a row by column name. NO_VALUE and missing columns are null. */
export interface TableRow {
  text(column: string): string | null;
  /** Also null for text that is not a number. */
  number(column: string): number | null;
}

/** Yields the rows of a table. Its first line names the columns, with or without `#`. */
export async function* rowsOf(place: StoragePlace): AsyncGenerator<TableRow> {
  let columns: Map<string, number> | undefined;
  let cells: string[] = [];
  const row: TableRow = {
    text: (column) => {
      const index = columns!.get(column);
      const value = index === undefined ? undefined : cells[index];
      return value === undefined || value === '' || value === NO_VALUE ? null : value;
    },
    number: (column) => numberOf(row.text(column)),
  };
  for await (const line of linesOf(place)) {
    if (line === '' || line.startsWith('##')) continue;
    cells = line.split('\t');
    if (columns) yield row;
    else columns = new Map(cells.map((name, i) => [name.replace(/^#/, ''), i]));
  }
}

/** Like rowsOf, but a missing file has no rows. */
export async function* optionalRowsOf(place: StoragePlace): AsyncGenerator<TableRow> {
  try {
    yield* rowsOf(place);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

export function numberOf(text: string | null | undefined): number | null {
  if (text === null || text === undefined || text === '' || text === NO_VALUE) return null;
  const value = Number(text);
  return Number.isFinite(value) ? value : null;
}
