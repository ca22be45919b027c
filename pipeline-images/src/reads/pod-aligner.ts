/**
 * minimap2 that stays for all samples of a pod: its index is gigabytes, and is loaded once. Each read is aligned by itself
 * and its name, so the lines of a sample are the same whatever was aligned before it.
 */

import type { Readable, Writable } from 'node:stream';
import type { Pod, SampleContext } from '../step/definition.ts';
import type { Command, Running } from '../tools/tools.ts';
import { write } from '../tools/write.ts';

/** Bases that minimap2 reads before it aligns them. A sample ends with a read of that length, so that nothing waits. */
const BATCH = 5_000_000;
/** The name of that read; no name on a sequencer has such a form. */
const END = '_seqpanel_end_of_sample_';
const END_AT_LINE_START = Buffer.from(`\n${END}\t`);
const NEWLINE = 10;
/** minimap2 takes its input in pieces of 16 KiB through zlib: the last one must be full before it is looked at. */
const PADDING = Buffer.alloc(1 << 17, '\n');
/** What it prints stays in its buffer (4 or 8 KiB) until that is full. */
const HELD_BACK = 1 << 16;

const endOfSample = (): Buffer[] => [
  Buffer.from(`@${END}\n`),
  Buffer.alloc(BATCH, 'N'),
  Buffer.from('\n+\n'),
  Buffer.alloc(BATCH, '!'),
  Buffer.from('\n'),
  PADDING,
];

const ofPods = new WeakMap<Pod, PodAligner>();

/** The pod's minimap2 on this index; started for the first sample, and again after one that ended in an error. */
export function podAligner({ pod, tools, cpus, log }: SampleContext, index: string): PodAligner {
  const command: Command = {
    tool: 'minimap2',
    args: ['-t', `${cpus}`, '-ax', 'sr', '--secondary=no', '-K', `${BATCH}`, index, '-'],
  };
  const known = ofPods.get(pod);
  if (known && !known.closed) {
    tools.note(command);
    log.info('minimap2: the index is in memory since an earlier sample of this pod');
    return known;
  }
  const aligner = new PodAligner(tools.start([command], { stdin: true, stdout: true }));
  ofPods.set(pod, aligner);
  pod.atEnd(() => aligner.close());
  return aligner;
}

/** Aligns one sample after the other, each to its end. What breaks a sample off closes it. */
export class PodAligner {
  closed = false;
  private readonly running: Running;
  private readonly output: AsyncIterator<Buffer>;
  /** The last sample has come to its end. */
  private between = true;
  /** The rest of the line of the last sample's end is still to come. */
  private inEnd = false;

  constructor(running: Running) {
    this.running = running;
    // What ends it is told by the sample that is under way.
    running.done.catch(() => undefined);
    this.stdin.on('error', () => undefined);
    this.output = (running.stdout as Readable)[Symbol.asyncIterator]();
  }

  private get stdin(): Writable {
    return this.running.stdin!;
  }

  /** Gives FASTQ to the aligner; its alignments must be taken at the same time. */
  async feed(reads: AsyncIterable<Buffer>): Promise<void> {
    try {
      for await (const chunk of reads) await write(this.stdin, chunk);
      for (const chunk of endOfSample()) await write(this.stdin, chunk);
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  /** SAM text of the sample that is fed, in whole lines. */
  async *alignments(): AsyncGenerator<Buffer> {
    try {
      yield* this.untilEnd();
    } finally {
      // Left in the middle, or without an end: the next sample would get this one's alignments.
      if (!this.between) await this.close();
    }
  }

  private async *untilEnd(): AsyncGenerator<Buffer> {
    this.between = false;
    // A line end stands before what is looked at, so that the first line is a line as any other.
    let buffer = Buffer.from('\n');
    for (;;) {
      let chunk = await this.next();
      if (this.inEnd) {
        const end = chunk.indexOf(NEWLINE);
        if (end < 0) continue;
        this.inEnd = false;
        chunk = chunk.subarray(end + 1);
      }
      buffer = Buffer.concat([buffer, chunk]);
      const last = buffer.indexOf(END_AT_LINE_START);
      if (last >= 0) {
        yield buffer.subarray(1, last + 1);
        await this.drain(buffer.subarray(last + 1));
        this.between = true;
        return;
      }
      const whole = buffer.lastIndexOf(NEWLINE);
      if (whole > 0) yield buffer.subarray(1, whole + 1);
      buffer = buffer.subarray(whole);
    }
  }

  /** Takes the last sample's end, or the aligner could not go on; what it holds back of it comes with the next sample. */
  private async drain(end: Buffer): Promise<void> {
    let taken = end.length;
    this.inEnd = !end.includes(NEWLINE);
    while (this.inEnd && taken < 2 * BATCH - HELD_BACK) {
      const chunk = await this.next();
      taken += chunk.length;
      this.inEnd = !chunk.includes(NEWLINE);
    }
  }

  private async next(): Promise<Buffer> {
    const { value, done } = await this.output.next();
    if (!done) return value;
    await this.running.done;
    throw new Error('minimap2 ended before the sample did');
  }

  /** Ends the aligner, also in the middle of a sample. */
  async close(): Promise<void> {
    this.closed = true;
    this.stdin.destroy();
    (this.running.stdout as Readable).destroy();
    await this.running.done.catch(() => undefined);
  }
}
