import { writeFile } from 'node:fs/promises';
import { columnNames, type OutputTable } from '@seqpanel/crds/outputs/table.ts';
import { bgzf } from './bgzf.ts';
import { type TabixColumns, tabix } from './tabix.ts';

/** Lines with the table's header; `#` starts it where tabix has to skip it. */
export const tableText = (table: OutputTable, lines: readonly string[]): string =>
  `${table.file.endsWith('.gz') ? '#' : ''}${columnNames(table).join('\t')}\n${lines.join('\n')}${lines.length > 0 ? '\n' : ''}`;

/** Writes text into a .gz file in BGZF blocks; where `columns` are given, with its .tbi beside it. */
export async function writeZipped(path: string, text: string, columns?: TabixColumns): Promise<void> {
  const plain = Buffer.from(text);
  const packed = bgzf(plain);
  await Promise.all([
    writeFile(path, packed.bytes),
    ...(columns ? [writeFile(`${path}.tbi`, tabix(plain, packed, columns))] : []),
  ]);
}
