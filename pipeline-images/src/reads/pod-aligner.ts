/**
 * One minimap2 for all samples of a pod, because its index takes gigabytes and is loaded once. minimap2 aligns each read
 * independently, so a sample's lines do not depend on the samples before it (docs/adr/0043).
 */

import type { Readable, Writable } from 'node:stream';
import type { Pod, SampleContext } from '../runner/step-definition.ts';
import type { Command, Running } from '../tools/tools.ts';
import { write } from '../tools/write-chunk.ts';

/** Bases that minimap2 collects before it aligns them. A read of that length ends each sample, so that no read waits. */
const BATCH = 5_000_000;
/** Name of that read. Sequencers write no such name. */
const END = '_seqpanel_end_of_sample_';
const END_AT_LINE_START = Buffer.from(`\n${END}\t`);
const NEWLINE = 10;
/** minimap2 reads its input in chunks of 16 KiB through zlib and waits until a chunk is full. */
const PADDING = Buffer.alloc(1 << 17, '\n');
/** minimap2 writes its output when its buffer (4 or 8 KiB) is full. */
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

/** Returns the pod's minimap2 on this index. Starts it for the first sample and again after an error. */
export function podAligner({ pod, tools, cpus, log }: SampleContext, index: string): PodAligner {
  const command: Command = {
    tool: 'minimap2',
    args: ['-t', `${cpus}`, '-ax', 'sr', '--secondary=no', '-K', `${BATCH}`, index, '-'],
  };
  const known = ofPods.get(pod);
  if (known && !known.closed) {
    tools.note(command);
    log.info('minimap2: using the index loaded by an earlier sample of this pod');
    return known;
  }
  const aligner = new PodAligner(tools.start([command], { stdin: true, stdout: true }));
  ofPods.set(pod, aligner);
  pod.atEnd(() => aligner.close());
  return aligner;
}

/** Aligns one sample after the other. An error while processing a sample closes the aligner. */
export class PodAligner {
  closed = false;
  readonly #running: Running;
  readonly #output: AsyncIterator<Buffer>;
  /** The end of the current sample was reached. */
  #between = true;
  /** The rest of the line that ends the previous sample is still expected. */
  #inEnd = false;

  constructor(running: Running) {
    this.#running = running;
    // Ignore: the current sample reports the error.
    running.done.catch(() => undefined);
    this.#stdin.on('error', () => undefined);
    this.#output = (running.stdout as Readable)[Symbol.asyncIterator]();
  }

  get #stdin(): Writable {
    return this.#running.stdin!;
  }

  /** Feeds FASTQ to the aligner. Its alignments must be read at the same time. */
  async feed(reads: AsyncIterable<Buffer>): Promise<void> {
    try {
      for await (const chunk of reads) await write(this.#stdin, chunk);
      for (const chunk of endOfSample()) await write(this.#stdin, chunk);
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  /** Yields the SAM text of the current sample in complete lines. */
  async *alignments(): AsyncGenerator<Buffer> {
    try {
      yield* this.#untilEnd();
    } finally {
      // Close after an incomplete sample, otherwise the next sample would get its alignments.
      if (!this.#between) await this.close();
    }
  }

  async *#untilEnd(): AsyncGenerator<Buffer> {
    this.#between = false;
    // Start with a line end so that the first line is matched like the others.
    let buffer = Buffer.from('\n');
    for (;;) {
      let chunk = await this.#next();
      if (this.#inEnd) {
        const end = chunk.indexOf(NEWLINE);
        if (end < 0) continue;
        this.#inEnd = false;
        chunk = chunk.subarray(end + 1);
      }
      buffer = Buffer.concat([buffer, chunk]);
      const last = buffer.indexOf(END_AT_LINE_START);
      if (last >= 0) {
        yield buffer.subarray(1, last + 1);
        await this.#drain(buffer.subarray(last + 1));
        this.#between = true;
        return;
      }
      const whole = buffer.lastIndexOf(NEWLINE);
      if (whole > 0) yield buffer.subarray(1, whole + 1);
      buffer = buffer.subarray(whole);
    }
  }

  /** Reads the line that ends the sample, so that the aligner can continue. The next sample skips the buffered rest. */
  async #drain(end: Buffer): Promise<void> {
    let taken = end.length;
    this.#inEnd = !end.includes(NEWLINE);
    while (this.#inEnd && taken < 2 * BATCH - HELD_BACK) {
      const chunk = await this.#next();
      taken += chunk.length;
      this.#inEnd = !chunk.includes(NEWLINE);
    }
  }

  async #next(): Promise<Buffer> {
    const { value, done } = await this.#output.next();
    if (!done) return value;
    await this.#running.done;
    throw new Error('minimap2 ended before the sample was complete');
  }

  /** Stops the aligner, even in the middle of a sample. */
  async close(): Promise<void> {
    this.closed = true;
    this.#stdin.destroy();
    (this.#running.stdout as Readable).destroy();
    await this.#running.done.catch(() => undefined);
  }
}
