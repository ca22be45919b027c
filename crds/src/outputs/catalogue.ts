/** Every file that a task writes, by step. docs/outputs.md and manifest.tsv are generated from this. */

import { ALLELES, CONSEQUENCES } from './annotation.ts';
import { HOTSPOTS, LOD } from './call.ts';
import { COHORT_TABLES } from './cohort.ts';
import { JOINT_TABLES } from './joint.ts';
import { TRACE } from './post-filter.ts';
import { GAPS, GENE_COVERAGE, SAMPLE_QC } from './qc.ts';
import { AMPLICONS, CANDIDATES, CONVERSION, IDENTITY, METHYLATION, PARALOG_SITES, PATTERNS, PILEUP } from './reads.ts';
import { MANIFEST } from './report.ts';
import type { OutputTable } from './table.ts';

/** A file of a step. `S` in its path is a sample's name, `K` an allele key. */
export interface OutputFile {
  file: string;
  meaning: string;
  table?: OutputTable;
}

const file = (path: string, meaning: string): OutputFile => ({ file: path, meaning });
const table = (t: OutputTable, path = t.file): OutputFile => ({ file: path, meaning: t.meaning, table: t });

export interface StepFiles {
  step: string;
  /** Folder below the task's folder. */
  folder: string;
  files: readonly OutputFile[];
}

export const STEP_FILES: readonly StepFiles[] = [
  {
    step: 'reads',
    folder: 'samples/S/reads',
    files: [
      file(
        'reads.bam',
        'All reads, primers soft-clipped, with a tag for the amplicon. The read group is the sample. With reads.bam.bai.',
      ),
      table(PILEUP),
      table(CANDIDATES),
      table(AMPLICONS),
      file('depth.u32', 'Depth of every insert base, by amplicon in panel order: little-endian, 4 bytes per base.'),
      file('coverage.bw', 'Exact depth of the inserts, for IGV: a bigWig.'),
      table(IDENTITY),
      table(PARALOG_SITES),
      table(METHYLATION),
      table(PATTERNS),
      table(CONVERSION),
      file('metrics.json', 'Each metric with its value and, for a share, numerator and denominator.'),
    ],
  },
  { step: 'cohort', folder: 'cohort', files: COHORT_TABLES.map((t) => table(t)) },
  {
    step: 'call',
    folder: 'samples/S/call',
    files: [
      file('calls.vcf.gz', 'Every candidate; FILTER lists all that apply. Counts are fragments. bgzip, tabix.'),
      table(LOD),
      table(HOTSPOTS),
    ],
  },
  { step: 'joint', folder: 'joint', files: JOINT_TABLES.map((t) => table(t)) },
  {
    step: 'annotation',
    folder: 'annotation',
    files: [table(ALLELES), table(CONSEQUENCES), file('manifest.json', 'The sources, their versions and hashes.')],
  },
  {
    step: 'post-filter',
    folder: 'post-filter',
    files: [
      file('filters.json', 'The groups, filters and conditions, in the order of the bits in the traces.'),
      table(TRACE, 'samples/S/trace.tsv.gz'),
      file('funnel.json', 'Calls kept by each condition, alone and after the preceding ones.'),
    ],
  },
  {
    step: 'qc',
    folder: 'qc',
    files: [
      table(SAMPLE_QC),
      file('controls.json', 'NTC, negative and positive controls: expected and found.'),
      file('depth_matrix.u32', 'Mean insert depth by sample and amplicon in panel order: little-endian, 4 bytes.'),
      file(
        'depth_band.u32',
        'Median, 10th and 90th percentile of the depth of every insert base over the samples other than NTC.',
      ),
      file('depth_order.json', 'Samples and amplicons in the order of the two files above.'),
      table(GENE_COVERAGE),
      table(GAPS),
      file('summary.json', 'Verdict of the run and of each sample.'),
      file('multiqc.html', "MultiQC's page of the run; absent where MultiQC did not run."),
    ],
  },
  {
    step: 'report',
    folder: 'report',
    files: [
      file(
        'slices/S.bam',
        'Reads around kept calls and hotspots: all with the variant, a sample of the others. With slices/S.bam.bai.',
      ),
      file('pileups/S/K.json', 'Reads at a kept call, for drawing, with the true counts.'),
      file('S.json', "The contents of the sample's report."),
      file('S.html', 'A plain report of the sample.'),
      file('provenance.json', 'Programs, versions, command lines and the hashes of all inputs.'),
      table(MANIFEST),
      file('output.zip', 'The results as one download: a folder per sample, `common` and `log`.'),
    ],
  },
];

const literal = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
const patternOf = (path: string): RegExp =>
  new RegExp(
    `^${literal(path)
      .replace(/(^|\/)S(?=[/\\])/g, '$1[^/]+')
      .replace(/(\/)K(?=[\\])/g, '$1[^/]+')}$`,
  );

const PATTERNS_BY_STEP = new Map(
  STEP_FILES.map(({ step, files }) => [step, files.map((f) => ({ ...f, pattern: patternOf(f.file) }))]),
);

/** Returns the description of a file by its path in the step's folder. An index is described as such. */
export function meaningOf(step: string, path: string): string {
  const known = PATTERNS_BY_STEP.get(step)?.find(({ pattern }) => pattern.test(path));
  if (known) return known.meaning;
  const indexed = /^(.*)\.(bai|tbi|csi|gzi)$/.exec(path)?.[1];
  return indexed ? `Index of ${indexed.slice(indexed.lastIndexOf('/') + 1)}.` : '.';
}

const INDEX = /\.(bai|tbi|csi|gzi)$/;
const KEYS = STEP_FILES.flatMap(({ step, folder, files }) =>
  files.map(({ file: path }) => ({
    key: `${step}_${path}`.replace(/[^A-Za-z0-9]+/g, '_').toLowerCase(),
    pattern: patternOf(`${folder}/${path}`),
  })),
);

/** Keys of the descriptions that screens show. */
export const FILE_KEYS: readonly string[] = ['definition', 'index', 'log', 'result', ...KEYS.map(({ key }) => key)];

/** Returns the key of a file by its path in the task's folder, or undefined when no step declares it. */
export function fileKey(path: string): string | undefined {
  if (!path.includes('/')) return 'definition';
  if (INDEX.test(path)) return 'index';
  if (path.startsWith('logs/')) return 'log';
  if (path.endsWith('/result.json')) return 'result';
  return KEYS.find(({ pattern }) => pattern.test(path))?.key;
}
