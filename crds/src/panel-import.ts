/**
 * Converts BED and BEDPE designs to a panel file. BED is 0-based with the end excluded, the panel file 1-based with both
 * ends included.
 */

import { type Contig, matchContig } from './contigs.ts';
import type { Amplicon, AnalysisType, Interval, PanelFile } from './panel.ts';
import { SHIPPED_PARAMETERS } from './parameters.ts';
import type { Problem } from './problem.ts';

/** Fields of the panel file that designs do not contain. */
export interface PanelImportOptions {
  value: string;
  displayName: string;
  version?: string;
  genome: { value: string; contigs: readonly Contig[] };
  chemistry?: PanelFile['chemistry'];
  analysisTypes?: AnalysisType[];
  bamAllowed?: boolean;
  control?: string;
}

/** The design as text: a BEDPE of primer pairs, or a BED of amplicons with an optional BED of inserts. */
export interface PanelDesign {
  bed?: string;
  insertBed?: string;
  bedpe?: string;
}

export interface PanelImport {
  panel: PanelFile;
  problems: Problem[];
}

interface Line {
  number: number;
  cells: string[];
}

/** Splits a BED or BEDPE into rows by tabs, or by blanks where there are no tabs. Skips headers and comments. */
function rowsOf(text: string): Line[] {
  return text
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\n|\r/)
    .map((raw, i) => ({ number: i + 1, cells: raw.includes('\t') ? raw.split('\t') : raw.trim().split(/ +/) }))
    .filter(({ cells }) => cells[0] !== '' && !/^(#|track\b|browser\b)/.test(cells[0]!));
}

/** Converts 0-based half-open cells to a 1-based interval. Undefined when they are invalid. */
function intervalOf(start: string | undefined, end: string | undefined): Interval | undefined {
  const from = Number(start);
  const to = Number(end);
  if (!/^\d+$/.test(start ?? '') || !/^\d+$/.test(end ?? '') || to <= from) return undefined;
  return { start: from + 1, end: to };
}

/** Replaces characters that a file name, URL or table cannot contain. */
const cleanName = (name: string): string =>
  name
    .trim()
    .replace(/[^A-Za-z0-9_.:+-]+/g, '_')
    .slice(0, 120);

/** Words that designs put at the start of names. */
const NO_GENE = new Set(
  'AMP AMPL AMPLICON TARGET REGION ROI TILE POOL PRIMER EXON INTERVAL SNP GENE CHR BED ID'.split(' '),
);

/** Returns the leading gene symbol of an amplicon name: TP53 of `TP53_31_59.chr17.7578190.7578536_tile_1`. */
function geneOf(name: string): string | undefined {
  const symbol = /^([A-Z][A-Z0-9]{1,14})(?=[_.:-]|$)/.exec(name)?.[1];
  return symbol && NO_GENE.has(symbol) ? undefined : symbol;
}

function describe(name: string, chrom: string, span: Interval, insert: Interval): Amplicon {
  const gene = geneOf(name);
  return {
    name,
    chrom,
    ...span,
    insert,
    ...(insert.start > span.start ? { leftPrimer: { start: span.start, end: insert.start - 1 } } : {}),
    ...(insert.end < span.end ? { rightPrimer: { start: insert.end + 1, end: span.end } } : {}),
    ...(gene ? { gene } : {}),
  };
}

/** Returns the amplicons of a BEDPE, two primers per line: `chrom1 start1 end1 chrom2 start2 end2 name …`. */
function fromBedpe(text: string, problems: Problem[]): Amplicon[] {
  return rowsOf(text).flatMap(({ number, cells }) => {
    const path = `BEDPE line ${number}`;
    const [a, b] = [intervalOf(cells[1], cells[2]), intervalOf(cells[4], cells[5])];
    if (!a || !b || cells[0] !== cells[3]) {
      problems.push({ path, message: 'needs two primers on one contig, each with start smaller than end' });
      return [];
    }
    const [left, right] = a.start <= b.start ? [a, b] : [b, a];
    if (left.end >= right.start - 1) {
      problems.push({ path, message: 'the two primers leave no insert between them' });
      return [];
    }
    const name = cleanName(cells[6] ?? `${cells[0]}_${left.start}`);
    const insert = { start: left.end + 1, end: right.start - 1 };
    return [describe(name, cells[0]!, { start: left.start, end: right.end }, insert)];
  });
}

/** Returns the inserts of the second BED by name, and sorted by position. */
function insertsOf(text: string, problems: Problem[]) {
  return rowsOf(text).flatMap(({ number, cells }) => {
    const span = intervalOf(cells[1], cells[2]);
    if (!span) {
      problems.push({
        path: `insert BED line ${number}`,
        message: 'start and end must be whole numbers, start smaller',
      });
      return [];
    }
    return [{ chrom: cells[0]!, ...span, name: cleanName(cells[3] ?? '') }];
  });
}

function fromBed(text: string, insertBed: string | undefined, problems: Problem[]): Amplicon[] {
  const inserts = insertBed === undefined ? [] : insertsOf(insertBed, problems);
  const byName = new Map(inserts.filter((i) => i.name !== '').map((i) => [`${i.chrom}\t${i.name}`, i]));
  return rowsOf(text).flatMap(({ number, cells }) => {
    const path = `BED line ${number}`;
    const span = intervalOf(cells[1], cells[2]);
    if (!span) {
      problems.push({ path, message: 'start and end must be whole numbers, start smaller than end' });
      return [];
    }
    const chrom = cells[0]!;
    const name = cleanName(cells[3] || `${chrom}_${span.start}`);
    const insert =
      byName.get(`${chrom}\t${name}`) ??
      inserts.find((i) => i.chrom === chrom && i.start >= span.start && i.end <= span.end);
    if (insertBed !== undefined && !insert) {
      problems.push({ path, message: `no insert lies inside ${chrom}:${span.start}-${span.end} (${name})` });
      return [];
    }
    // Without a second file, columns 7 and 8 (thickStart, thickEnd) contain the insert.
    const thick = insert ?? intervalOf(cells[6], cells[7]);
    const usable = thick && thick.start >= span.start && thick.end <= span.end ? thick : span;
    return [describe(name, chrom, span, { start: usable.start, end: usable.end })];
  });
}

/** Numbers repeated names as `x`, `x_2`, `x_3`. Designs repeat a gene's name on each of its lines. */
function uniqueNames(amplicons: Amplicon[]): Amplicon[] {
  const taken = new Set(amplicons.map((a) => a.name));
  const seen = new Set<string>();
  return amplicons.map((amplicon) => {
    if (!seen.has(amplicon.name)) {
      seen.add(amplicon.name);
      return amplicon;
    }
    let n = 2;
    while (taken.has(`${amplicon.name}_${n}`)) n++;
    const name = `${amplicon.name}_${n}`;
    taken.add(name);
    seen.add(name);
    return { ...amplicon, name };
  });
}

/**
 * Returns a panel file with the shipped parameters and the genome's contig names. Reports invalid lines and contigs that
 * the genome lacks in `problems`; validatePanel reports the rest.
 */
export function importPanel(design: PanelDesign, options: PanelImportOptions): PanelImport {
  const problems: Problem[] = [];
  const read = [
    ...(design.bedpe === undefined ? [] : fromBedpe(design.bedpe, problems)),
    ...(design.bed === undefined ? [] : fromBed(design.bed, design.insertBed, problems)),
  ];
  const unknown = new Set<string>();
  const placed = read.flatMap((amplicon) => {
    const contig = matchContig(options.genome.contigs, { name: amplicon.chrom });
    if (contig) return [{ ...amplicon, chrom: contig.name }];
    unknown.add(amplicon.chrom);
    return [];
  });
  for (const name of unknown)
    problems.push({ path: 'contig', message: `${name} is not in the genome ${options.genome.value}` });
  if (read.length === 0 && problems.length === 0) problems.push({ path: '', message: 'the panel must have ROI data' });
  const used = new Set(placed.map((a) => a.chrom));
  const panel: PanelFile = {
    schema_version: 1,
    value: options.value,
    displayName: options.displayName,
    version: options.version ?? '1',
    genome: {
      value: options.genome.value,
      contigs: options.genome.contigs
        .filter((c) => used.has(c.name))
        .map((c) => ({ name: c.name, length: c.length ?? 0, ...(c.md5 ? { md5: c.md5 } : {}) })),
    },
    chemistry: options.chemistry ?? 'amplicon',
    analysisTypes: options.analysisTypes ?? ['germline', 'tumor-only'],
    bamAllowed: options.bamAllowed ?? true,
    amplicons: uniqueNames(placed),
    parameters: SHIPPED_PARAMETERS.map((p) => ({ ...p })),
    ...(options.control === undefined ? {} : { control: options.control }),
  };
  return { panel, problems };
}
