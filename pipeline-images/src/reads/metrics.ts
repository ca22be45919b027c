import type { Metric, Metrics } from '@seqpanel/crds/outputs/reads.ts';
import { median } from '@seqpanel/crds/statistics.ts';
import type { Counts } from './counts.ts';
import type { FilterTotals } from './sam-filter.ts';
import { depthAt } from './tables.ts';

/** Quality of the input reads, from fastp or the BAM pass. */
export interface InputQuality {
  reads: number;
  readsUsed: number;
  bases: number;
  q30Bases: number;
  gcBases: number;
  adapterReads: number;
}

/** The fields of fastp's JSON report that are used here. */
interface FastpReport {
  summary: {
    before_filtering: { total_reads: number; total_bases: number; q30_bases: number; gc_content: number };
    after_filtering: { total_reads: number };
  };
  adapter_cutting?: { adapter_trimmed_reads: number };
}

export function qualityOf(report: FastpReport): InputQuality {
  const { before_filtering: before, after_filtering: after } = report.summary;
  return {
    reads: before.total_reads,
    readsUsed: after.total_reads,
    bases: before.total_bases,
    q30Bases: before.q30_bases,
    gcBases: Math.round(before.gc_content * before.total_bases),
    adapterReads: report.adapter_cutting?.adapter_trimmed_reads ?? 0,
  };
}

const count = (value: number): Metric => ({ value });
const share = (numerator: number, denominator: number): Metric => ({
  value: denominator === 0 ? null : numerator / denominator,
  numerator,
  denominator,
});

/** Returns metrics.json. `quality` is undefined for BAM input, whose bases are not inspected before alignment. */
export function metricsOf(counts: Counts, totals: FilterTotals, quality: InputQuality | undefined): Metrics {
  const depths: number[] = [];
  const means: number[] = [];
  for (const target of counts.targets) {
    let sum = 0;
    for (let i = 0; i < target.codes.length; i++) {
      const depth = depthAt(counts, target.offset + i);
      depths.push(depth);
      sum += depth;
    }
    means.push(sum / Math.max(1, target.codes.length));
  }
  const bases = depths.length;
  const depthSum = depths.reduce((a, b) => a + b, 0);
  const mean = bases === 0 ? 0 : depthSum / bases;
  const per = counts.perTarget;
  const sum = (key: 'fragments' | 'forward' | 'mq0'): number => per.reduce((all, one) => all + one[key], 0);
  const none: Metric = { value: null };
  return {
    reads_total: count(quality?.reads ?? totals.reads),
    reads_used: count(quality?.readsUsed ?? totals.reads),
    bases_total: quality ? count(quality.bases) : none,
    q30_fraction: quality ? share(quality.q30Bases, quality.bases) : none,
    gc_fraction: quality ? share(quality.gcBases, quality.bases) : none,
    mean_read_length: quality ? share(quality.bases, quality.reads) : none,
    adapter_fraction: quality ? share(quality.adapterReads, quality.reads) : none,
    fragments_total: count(totals.fragments),
    mapped_fraction: share(totals.mappedReads, totals.reads),
    on_target_fraction: share(totals.assigned, totals.mappedFragments),
    assigned_fragments: count(totals.assigned),
    chimeric_fraction: share(totals.chimeric, totals.mappedFragments),
    dimer_fraction: share(totals.dimers, totals.mappedFragments),
    mq0_fraction: share(sum('mq0'), sum('fragments')),
    mean_depth: { value: mean, numerator: depthSum, denominator: bases },
    median_depth: count(median(means) ?? 0),
    min_amplicon_depth: count(means.reduce((least, one) => Math.min(least, one), means[0] ?? 0)),
    uniformity: share(mean === 0 ? 0 : depths.filter((depth) => depth >= 0.2 * mean).length, bases),
    covered_fraction: share(depths.filter((depth) => depth > 0).length, bases),
    forward_fraction: share(sum('forward'), sum('fragments')),
    discordant_fraction: share(counts.discordantBases, counts.overlapBases),
    insert_size_median: { value: medianOf(counts.lengths) },
  };
}

function medianOf(histogram: Uint32Array): number | null {
  const all = histogram.reduce((sum, n) => sum + n, 0);
  if (all === 0) return null;
  let below = 0;
  for (let value = 0; value < histogram.length; value++) {
    below += histogram[value]!;
    if (2 * below >= all) return value;
  }
  return null;
}
