/** Extracts the reads around kept calls and hotspots from a sample's BAM, and writes the pileups of the calls. */

import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { type PileupFile, type PileupRow, pileupFile, sliceFile } from '@seqpanel/crds/outputs/report.ts';
import { mergedSpans } from '@seqpanel/crds/roi.ts';
import type { Reference } from '../reads/reference.ts';
import type { TaskContext } from '../runner/step-definition.ts';
import { carries, type Layout, layOut, parseSam, type SamRead } from './read-view.ts';
import { sampleNames } from './sampling.ts';

export interface Site {
  key: string;
  chrom: string;
  pos: number;
  ref: string;
  alt: string;
  /** Whether to write a pileup. False for hotspots without a call. */
  drawn: boolean;
}

export interface SliceLimits {
  /** Bases kept on both sides of a site. */
  flank: number;
  /** Number of reference fragments kept at a site. */
  reference: number;
}

/** Bases drawn on both sides of a call. */
const DRAWN_FLANK = 40;
/** Rows of a pileup: ALT reads, with reference reads below. */
const DRAWN_ALT = 60;
const DRAWN_REFERENCE = 20;

interface Seen {
  site: Site;
  /** Reference bases from `start` up to the base after the allele. */
  start: number;
  reference: string;
  next: string;
  alt: Set<string>;
  rest: Set<string>;
  altRows: (PileupRow & { name: string })[];
  restRows: (PileupRow & { name: string })[];
}

function rowOf(read: SamRead, layout: Layout, seen: Seen, alt: boolean): PileupRow & { name: string } {
  const { start, reference } = seen;
  let bases = '';
  for (let i = 0; i < reference.length; i++) bases += layout.cells[start + i - layout.start] ?? ' ';
  const insertions = layout.insertions
    .filter(({ before }) => before >= start && before < start + reference.length)
    .map(({ before, bases: inserted }) => ({ at: before - start, bases: inserted }));
  const row = { name: read.name, alt, strand: read.reverse ? ('-' as const) : ('+' as const), mapq: read.mapq, bases };
  return insertions.length > 0 ? { ...row, insertions } : row;
}

/** Reads a BAM's reads around all sites once and records what each fragment shows. */
async function look(context: TaskContext, bam: string, bed: string, sites: Seen[]): Promise<void> {
  const byContig = Map.groupBy(
    sites.toSorted((a, b) => a.site.pos - b.site.pos),
    ({ site }) => site.chrom,
  );
  const running = context.tools.start([{ tool: 'samtools', args: ['view', '-M', '-L', bed, bam] }], { stdout: true });
  for await (const line of createInterface({ input: running.stdout! })) {
    const read = parseSam(line);
    if (!read) continue;
    const layout = layOut(read);
    const end = layout.start + layout.cells.length - 1;
    for (const seen of byContig.get(read.chrom) ?? []) {
      if (seen.site.pos > end) break;
      if (seen.site.pos < layout.start) continue;
      const what = carries(layout, seen.site, seen.next);
      if (what === undefined) continue;
      const alt = what === 'alt';
      (alt ? seen.alt : seen.rest).add(read.name);
      if (seen.site.drawn) (alt ? seen.altRows : seen.restRows).push(rowOf(read, layout, seen, alt));
    }
  }
  await running.done;
}

/** Returns the rows to draw at a site: a sample of its fragments, in an order that depends on their names only. */
function drawnRows(rows: readonly (PileupRow & { name: string })[], limit: number): PileupRow[] {
  const names = new Map(sampleNames(new Set(rows.map((row) => row.name)), limit).map((name, i) => [name, i]));
  return rows
    .filter((row) => names.has(row.name))
    .toSorted((a, b) => names.get(a.name)! - names.get(b.name)! || (a.strand < b.strand ? -1 : 1))
    .slice(0, limit)
    .map(({ name: _, ...row }) => row);
}

/** Writes slices/S.bam with its index, and the pileups of the drawn sites. */
export async function writeSlice(
  context: TaskContext,
  sample: string,
  bam: string,
  sites: readonly Site[],
  limits: SliceLimits,
  reference: Reference,
): Promise<void> {
  const { out, tmp, tools, frozen } = context;
  const contigs = frozen.genome.contigs;
  const lengths = new Map(contigs.map((c) => [c.name, c.length]));
  const spans = mergedSpans(
    sites.map(({ chrom, pos, ref }) => ({
      chrom,
      start: Math.max(1, pos - limits.flank),
      end: Math.min(lengths.get(chrom) ?? pos, pos + ref.length - 1 + limits.flank),
    })),
    contigs.map((c) => c.name),
  );
  const bed = `${tmp}/${sample}.bed`;
  await writeFile(bed, spans.map((s) => `${s.chrom}\t${s.start - 1}\t${s.end}\n`).join(''));
  const seen: Seen[] = await Promise.all(
    sites.map(async (site) => {
      const window = await reference.bases(
        site.chrom,
        site.pos - DRAWN_FLANK,
        site.pos + site.ref.length - 1 + DRAWN_FLANK,
      );
      const next = window.bases[site.pos + site.ref.length - window.start] ?? '';
      const sets = { alt: new Set<string>(), rest: new Set<string>(), altRows: [], restRows: [] };
      return { site, start: window.start, reference: window.bases, next, ...sets };
    }),
  );
  if (sites.length > 0) await look(context, bam, bed, seen);
  const kept = new Set<string>();
  for (const { alt, rest } of seen) {
    for (const name of alt) kept.add(name);
    for (const name of sampleNames(rest, limits.reference)) kept.add(name);
  }
  const slice = sliceFile(sample);
  await mkdir(dirname(`${out}/${slice}`), { recursive: true });
  if (kept.size === 0) {
    // No sites: write a BAM with only a header.
    await tools.run(
      { tool: 'samtools', args: ['view', '--no-PG', '-H', bam] },
      { tool: 'samtools', args: ['view', '--no-PG', '-b', '-o', slice, '-'] },
    );
  } else {
    const names = `${tmp}/${sample}.names`;
    await writeFile(names, [...kept].map((name) => `${name}\n`).join(''));
    await tools.run({
      tool: 'samtools',
      args: ['view', '--no-PG', '-b', '-N', names, '-M', '-L', bed, '-o', slice, bam],
    });
  }
  await tools.run({ tool: 'samtools', args: ['index', slice] });
  await writePileups(context, sample, seen);
}

async function writePileups({ out }: TaskContext, sample: string, sites: readonly Seen[]): Promise<void> {
  for (const { site, start, reference, alt, rest, altRows, restRows } of sites) {
    if (!site.drawn) continue;
    const file: PileupFile = {
      schema_version: 1,
      allele_key: site.key,
      chrom: site.chrom,
      pos: site.pos,
      ref: site.ref,
      alt: site.alt,
      start,
      reference,
      // A fragment whose mates disagree counts as neither.
      counts: {
        alt: [...alt].filter((name) => !rest.has(name)).length,
        reference: [...rest].filter((name) => !alt.has(name)).length,
      },
      rows: [...drawnRows(altRows, DRAWN_ALT), ...drawnRows(restRows, DRAWN_REFERENCE)],
    };
    const path = `${out}/${pileupFile(sample, site.key)}`;
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, `${JSON.stringify(file)}\n`);
  }
}
