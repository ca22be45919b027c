import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { type DepthBlock, depthOrder } from '@seqpanel/crds/outputs/reads.ts';
import type { PanelFile } from '@seqpanel/crds/panel.ts';
import { SYMBOL_DEL, SYMBOLS, WIDTH } from './counts.ts';
import { BASE_CODE, withoutRepeats } from './target.ts';

const unzip = promisify(gunzip);
const TAB = 9;
const NEWLINE = 10;
const HASH = 35;

/** The counts of pileup.tsv.gz in the order of `depthOrder`, WIDTH numbers per base. */
export interface Pileup {
  cells: Uint32Array;
  /** Reference base code of each base. 255 where nothing was counted. */
  reference: Uint8Array;
}

/** Finds the index of a base of an amplicon's insert in a Pileup. */
export class PileupIndex {
  readonly length: number;
  readonly #blocks: ReadonlyMap<string, DepthBlock>;
  /** Blocks that cover a position, by contig and position. */
  readonly #over = new Map<string, Map<number, DepthBlock[]>>();

  readonly #primers: ReadonlySet<string>;

  constructor(panel: Pick<PanelFile, 'amplicons'>) {
    this.#primers = new Set(panel.amplicons.filter((a) => a.leftPrimer || a.rightPrimer).map(({ name }) => name));
    const { blocks, length } = depthOrder(panel);
    this.length = length;
    this.#blocks = new Map(blocks.map((block) => [block.amplicon, block]));
    for (const block of blocks) {
      let contig = this.#over.get(block.chrom);
      if (!contig) {
        contig = new Map();
        this.#over.set(block.chrom, contig);
      }
      for (let pos = block.start; pos <= block.end; pos++) {
        const list = contig.get(pos);
        if (list) list.push(block);
        else contig.set(pos, [block]);
      }
    }
  }

  slot(amplicon: string, pos: number): number {
    const block = this.#blocks.get(amplicon);
    return block && pos >= block.start && pos <= block.end ? block.offset + pos - block.start : -1;
  }

  /** Returns the amplicons whose insert contains the position and whose counts may be added up, with their slots. */
  at(chrom: string, pos: number): { amplicon: string; slot: number }[] {
    const blocks = withoutRepeats(this.#over.get(chrom)?.get(pos) ?? [], ({ amplicon }) => this.#primers.has(amplicon));
    return blocks.map(({ amplicon, start, offset }) => ({ amplicon, slot: offset + pos - start }));
  }

  /** Yields every base once per amplicon, in panel order. */
  *all(): Generator<{ chrom: string; pos: number; slot: number }> {
    for (const { chrom, start, end, offset } of this.#blocks.values())
      for (let pos = start; pos <= end; pos++) yield { chrom, pos, slot: offset + pos - start };
  }
}

/** Reads pileup.tsv.gz. Parses numbers from bytes because a run may have hundreds of samples. */
export async function readPileup(path: string, index: PileupIndex): Promise<Pileup> {
  const text = await unzip(await readFile(path));
  const cells = new Uint32Array(index.length * WIDTH);
  const reference = new Uint8Array(index.length).fill(255);
  let at = 0;
  let amplicon = '';
  while (at < text.length) {
    if (text[at] === HASH) {
      at = text.indexOf(NEWLINE, at) + 1;
      continue;
    }
    const a = text.indexOf(TAB, at);
    const b = text.indexOf(TAB, a + 1);
    const c = text.indexOf(TAB, b + 1);
    let pos = 0;
    for (let i = a + 1; i < b; i++) pos = pos * 10 + text[i]! - 48;
    amplicon = text.toString('latin1', b + 1, c);
    const slot = index.slot(amplicon, pos);
    if (slot >= 0) reference[slot] = BASE_CODE[text[c + 1]!]!;
    let value = 0;
    let column = 0;
    for (at = c + 3; ; at++) {
      const byte = text[at];
      if (byte === TAB || byte === NEWLINE || byte === undefined) {
        if (slot >= 0) cells[slot * WIDTH + column] = value;
        column++;
        value = 0;
        if (byte !== TAB) break;
      } else value = value * 10 + byte - 48;
    }
    at++;
  }
  return { cells, reference };
}

/** Counts fragments with a known base (A, C, G, T or deleted) on one strand, without N. */
export function knownFragments(cells: Uint32Array, slot: number, strand: 0 | 1): number {
  const row = slot * WIDTH + strand * SYMBOLS;
  return cells[row]! + cells[row + 1]! + cells[row + 2]! + cells[row + 3]! + cells[row + SYMBOL_DEL]!;
}
