import { readFile, writeFile } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { BadInput } from '../runner/bad-input.ts';
import { parameter } from '../runner/frozen.ts';
import type { SampleContext } from '../runner/step-definition.ts';
import type { Command } from '../tools/tools.ts';
import { write } from '../tools/write-chunk.ts';
import { type ContigMap, regionsBed } from './bam-input.ts';
import { type FastqTotals, fastqStream } from './fastq-input.ts';
import type { Lane } from './lanes.ts';
import { type InputQuality, qualityOf } from './metrics.ts';
import { podAligner } from './pod-aligner.ts';
import { alignerIndex } from './reference.ts';
import type { SamFilter } from './sam-filter.ts';

/** Bases per batch of bwa. Fixed, otherwise bwa's estimate of the insert size would depend on the number of processors. */
const BWA_BATCH = 10_000_000;

/** Sorts and indexes a BAM at the fastest compression level, because the file is soon replaced by its slices. */
export const sortCommand = (context: SampleContext): Command => ({
  tool: 'samtools',
  args: [
    'sort',
    '-l1',
    '--no-PG',
    '-m',
    `${Math.max(64, Math.min(768, Math.floor(context.memoryMiB / 4)))}M`,
    '-T',
    `${context.tmp}/sort`,
    '--write-index',
    '-o',
    'reads.bam##idx##reads.bam.bai',
    '-',
  ],
});

/** Trims adapters. Keeps reads of low quality because each base is filtered when it is counted. */
const trimCommand = ({ frozen, tmp }: SampleContext, paired: boolean): Command => ({
  tool: 'fastp',
  args: [
    '--stdin',
    ...(paired ? ['--interleaved_in'] : []),
    '--stdout',
    '-w',
    '1',
    '-Q',
    '-l',
    `${parameter(frozen, 'min_read_length')}`,
    ...(parameter(frozen, 'trim_adapters') ? [] : ['-A']),
    '--dont_eval_duplication',
    '-j',
    `${tmp}/fastp.json`,
    '-h',
    '/dev/null',
  ],
});

interface Aligning {
  /** FASTQ input. */
  stdin: Writable;
  /** Alignments grouped by read name. */
  stdout: AsyncIterable<Buffer>;
  done: Promise<void>;
}

/** Starts the programs that align a FASTQ stream. All samples of a pod share one minimap2. */
function startAligning(context: SampleContext, paired: boolean): Aligning {
  const { frozen, storage, cpus, pod, tools, log } = context;
  const aligner = parameter(frozen, 'aligner') === 'bwa' ? 'bwa' : 'minimap2';
  const index = `${storage}/${alignerIndex(frozen.genome, aligner)}`;
  const trim = trimCommand(context, paired);
  if (pod.samples === 1 || aligner === 'bwa') {
    // bwa needs its own process per sample: it breaks ties by read number and estimates the insert size by batch.
    if (pod.samples > 1) log.info('bwa: the index is loaded once per sample of this pod');
    const align: Command =
      aligner === 'bwa'
        ? { tool: 'bwa', args: ['mem', '-t', `${cpus}`, '-K', `${BWA_BATCH}`, ...(paired ? ['-p'] : []), index, '-'] }
        : { tool: 'minimap2', args: ['-t', `${cpus}`, '-ax', 'sr', '--secondary=no', index, '-'] };
    const pipe = tools.start([trim, align], { stdin: true, stdout: true });
    return { stdin: pipe.stdin!, stdout: pipe.stdout!, done: pipe.done };
  }
  const shared = podAligner(context, index);
  const trimmed = tools.start([trim], { stdin: true, stdout: true });
  const done = Promise.all([trimmed.done, shared.feed(trimmed.stdout!)]).then(
    () => undefined,
    async (error: unknown) => {
      // Close the aligner because it contains part of this sample.
      await shared.close();
      throw error;
    },
  );
  return { stdin: trimmed.stdin!, stdout: shared.alignments(), done };
}

/** Runs FASTQ | fastp | aligner | filter | sort. Returns undefined when the files contain no reads. */
export async function alignFastq(
  context: SampleContext,
  lanes: readonly Lane[],
  filter: SamFilter,
): Promise<InputQuality | undefined> {
  const totals: FastqTotals = { reads: 0 };
  const source = fastqStream(context.storage, lanes, totals);
  const first = await source.next();
  if (first.done) {
    await sortOnly(context, filter);
    return undefined;
  }
  const paired = lanes[0]!.r2 !== undefined;
  const pipe = startAligning(context, paired);
  // Ignore: the exit code of the program explains why it stopped reading.
  pipe.stdin.on('error', () => undefined);
  const feed = (async () => {
    await write(pipe.stdin, first.value);
    for await (const chunk of source) await write(pipe.stdin, chunk);
    pipe.stdin.end();
  })();
  feed.catch(() => pipe.stdin.destroy());
  await throughFilter(context, pipe, feed, filter);
  const quality = qualityOf(JSON.parse(await readFile(`${context.tmp}/fastp.json`, 'utf8')));
  if (quality.reads !== totals.reads)
    throw new Error(`fastp reported ${quality.reads} of ${totals.reads} reads; its report cannot be used`);
  return quality;
}

/** Runs BAM | collate | filter | sort on the reads that overlap the panel, and on mates that overlap it too. */
export async function takeBam(context: SampleContext, path: string, map: ContigMap, filter: SamFilter): Promise<void> {
  const bed = `${context.tmp}/regions.bed`;
  await writeFile(bed, regionsBed(context.frozen.panel, map.used));
  const pipe = context.tools.start(
    [
      { tool: 'samtools', args: ['view', '-u', '--no-PG', '-L', bed, path] },
      { tool: 'samtools', args: ['collate', '-O', '-u', '--no-PG', '-', `${context.tmp}/collate`] },
      { tool: 'samtools', args: ['view', '--no-PG', '-'] },
    ],
    { stdout: true },
  );
  await throughFilter(context, { stdout: pipe.stdout!, done: pipe.done }, Promise.resolve(), filter);
}

/** Writes a BAM with a header and no reads. */
export async function sortOnly(context: SampleContext, filter: SamFilter): Promise<void> {
  const sort = context.tools.start([sortCommand(context)], { stdin: true });
  sort.stdin!.on('error', () => undefined);
  sort.stdin!.end(filter.finish());
  await sort.done;
}

async function throughFilter(
  context: SampleContext,
  pipe: Pick<Aligning, 'stdout' | 'done'>,
  feed: Promise<void>,
  filter: SamFilter,
): Promise<void> {
  const sort = context.tools.start([sortCommand(context)], { stdin: true });
  sort.stdin!.on('error', () => undefined);
  const pass = (async () => {
    for await (const chunk of pipe.stdout) {
      const ready = filter.push(chunk);
      if (ready.length > 0) await write(sort.stdin!, ready);
    }
    await write(sort.stdin!, filter.finish());
    sort.stdin!.end();
  })();
  pass.catch(() => sort.stdin!.destroy());
  const ends = await Promise.allSettled([feed, pipe.done, pass, sort.done]);
  const reasons = ends.filter((end) => end.status === 'rejected').map((end) => end.reason as Error);
  // One failure breaks the other streams too. Prefer bad input, then a tool's error, to a broken pipe.
  const cause = reasons.find((reason) => reason instanceof BadInput) ?? reasons.find(notPipe) ?? reasons[0];
  if (cause) throw cause;
}

const notPipe = (error: Error): boolean => {
  const { code } = error as NodeJS.ErrnoException;
  return code !== 'EPIPE' && code !== 'ERR_STREAM_DESTROYED' && code !== 'ERR_STREAM_PREMATURE_CLOSE';
};
