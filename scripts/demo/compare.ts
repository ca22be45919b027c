/** Compares the planted variants of the demo with the reported ones. */

/** A variant of truth.json, or one that the product reports as kept. pos is 1-based, vaf a fraction. */
export interface Variant {
  chrom: string;
  pos: number;
  ref: string;
  alt: string;
  vaf: number;
  gene?: string;
  hgvs?: string;
}

export interface ComparedRow {
  sample: string;
  outcome: 'found' | 'missed' | 'extra';
  variant: string;
  name: string;
  planted?: number;
  measured?: number;
}

const key = (v: Variant): string => `${v.chrom}:${v.pos} ${v.ref}>${v.alt}`;
const nameOf = (v: Variant): string => [v.gene, v.hgvs].filter(Boolean).join(' ');

/** Returns one row per planted variant, then the extra ones, per sample in the order of `truth`. */
export function compare(truth: Record<string, Variant[]>, reported: Record<string, Variant[]>): ComparedRow[] {
  return Object.entries(truth).flatMap(([sample, planted]) => {
    const calls = new Map((reported[sample] ?? []).map((call) => [key(call), call]));
    const expected = new Set(planted.map(key));
    const rows: ComparedRow[] = planted.map((variant) => {
      const call = calls.get(key(variant));
      return {
        sample,
        outcome: call ? 'found' : 'missed',
        variant: key(variant),
        name: nameOf(variant),
        planted: variant.vaf,
        ...(call ? { measured: call.vaf } : {}),
      };
    });
    for (const [id, call] of calls) {
      if (!expected.has(id))
        rows.push({ sample, outcome: 'extra', variant: id, name: nameOf(call), measured: call.vaf });
    }
    return rows;
  });
}

const percent = (fraction?: number): string => (fraction === undefined ? '–' : `${(fraction * 100).toFixed(1)} %`);

/** Returns the lines of the demo's result table. */
export function formatTable(rows: readonly ComparedRow[]): string[] {
  const cells = [
    ['sample', 'outcome', 'variant', 'name', 'VAF planted', 'VAF measured'],
    ...rows.map((row) => [row.sample, row.outcome, row.variant, row.name, percent(row.planted), percent(row.measured)]),
  ];
  const widths = cells[0]!.map((_, column) => Math.max(...cells.map((row) => row[column]!.length)));
  const lines = cells.map((row) =>
    row
      .map((cell, column) => (column < 4 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
      .join('  ')
      .trimEnd(),
  );
  const count = (outcome: ComparedRow['outcome']): number => rows.filter((row) => row.outcome === outcome).length;
  const planted = count('found') + count('missed');
  return [
    ...lines,
    '',
    `${count('found')} of ${planted} planted variants found, ${count('missed')} missed, ${count('extra')} extra`,
  ];
}
