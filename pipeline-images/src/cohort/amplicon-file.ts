import { readFile } from 'node:fs/promises';

/** The columns of amplicons.tsv that other steps read. */
export interface AmpliconRow {
  amplicon: string;
  fragments: number;
  mean: number;
}

/** Reads amplicons.tsv by column name. */
export async function readAmplicons(path: string): Promise<AmpliconRow[]> {
  const [head = '', ...lines] = (await readFile(path, 'utf8')).split('\n');
  const names = head.split('\t');
  const [amplicon, fragments, mean] = ['amplicon', 'fragments', 'mean'].map((name) => names.indexOf(name));
  return lines
    .filter((line) => line !== '')
    .map((line) => {
      const cells = line.split('\t');
      return {
        amplicon: cells[amplicon!] ?? '',
        fragments: Number(cells[fragments!]),
        mean: Number(cells[mean!]),
      };
    });
}
