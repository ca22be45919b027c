import { writeFile } from 'node:fs/promises';
import { columnNames, type OutputTable } from '@seqpanel/crds/outputs/table.ts';
import { bgzf } from './bgzf.ts';
import { type TabixColumns, tabix } from './tabix.ts';

/** Returns the table's header and lines. The header starts with `#` in files that tabix reads. */
export const tableText = (table: OutputTable, lines: readonly string[]): string =>
  `${table.file.endsWith('.gz') ? '#' : ''}${columnNames(table).join('\t')}\n${lines.join('\n')}${lines.length > 0 ? '\n' : ''}`;

/** Writes text as BGZF. With `columns`, also writes the index. */
export async function writeZipped(path: string, text: string, columns?: TabixColumns): Promise<void> {
  const plain = Buffer.from(text);
  const packed = bgzf(plain);
  await Promise.all([
    writeFile(path, packed.bytes),
    ...(columns ? [writeFile(`${path}.tbi`, tabix(plain, packed, columns))] : []),
  ]);
}
