import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { MAX_FASTQ_RATIO, unpackedLimit } from '@seqpanel/crds/fastq-limits.ts';
import { BadInput } from '../runner/bad-input.ts';
import type { SampleFile } from '../runner/frozen.ts';

const NEWLINE = 10;
const RETURN = 13;
const AT = 64;
const PLUS = 43;
const CHUNK = 1 << 20;

/**
 * Reads one FASTQ file, gzip or plain, record by record without copying. Throws BadInput with the user's file name and the
 * line of an invalid record.
 */
export class FastqReader {
  /** The bytes of the current record and the offsets of its parts. */
  buffer: Buffer = Buffer.alloc(0);
  start = 0;
  end = 0;
  nameEnd = 0;
  /** Number of records read so far. */
  records = 0;
  readonly file: SampleFile;
  readonly #chunks: AsyncIterator<Buffer>;
  readonly #hash: Hash = createHash('sha256');
  readonly #source: Readable;
  readonly #limit: number;
  #next = 0;
  #unpacked = 0;
  #ended = false;

  private constructor(file: SampleFile, source: Readable, chunks: AsyncIterator<Buffer>, limit: number) {
    this.file = file;
    this.#limit = limit;
    this.#source = source;
    this.#chunks = chunks;
  }

  /** Opens the file below the storage root. Throws BadInput when it is missing or empty. */
  static async open(storage: string, file: SampleFile): Promise<FastqReader> {
    const path = `${storage}/${file.path}`;
    const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT')
        throw new BadInput(file.name, undefined, 'file not found. Upload it again.', 'file_missing');
      throw error;
    });
    if (found.size === 0)
      throw new BadInput(file.name, undefined, 'empty file (0 bytes). Upload it again.', 'file_empty');
    const raw = createReadStream(path, { highWaterMark: CHUNK });
    const zipped = await isGzip(raw);
    const stream = zipped ? raw.pipe(createGunzip({ chunkSize: CHUNK })) : raw;
    const limit = zipped ? unpackedLimit(found.size) : Number.POSITIVE_INFINITY;
    const reader = new FastqReader(file, raw, stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>, limit);
    raw.on('data', (chunk: Buffer | string) => reader.#hash.update(chunk));
    raw.on('error', (error) => stream.destroy(error));
    // A stream that fails before the first read keeps its error for that read.
    stream.on('error', () => undefined);
    return reader;
  }

  close(): void {
    this.#source.destroy();
  }

  /** Moves to the next record. At the end of the file, checks its hash and returns false. */
  async advance(): Promise<boolean> {
    while (!this.scan()) {
      if (this.#ended) {
        if (this.#next < this.buffer.length) this.#scanLast();
        else {
          this.#verify();
          return false;
        }
        return true;
      }
      await this.#fill();
    }
    return true;
  }

  /** Sets start, end and nameEnd and returns true when the buffer contains a complete record. */
  scan(): boolean {
    const next = this.#next;
    const { buffer } = this;
    const a = buffer.indexOf(NEWLINE, next);
    if (a < 0) return false;
    const b = buffer.indexOf(NEWLINE, a + 1);
    if (b < 0) return false;
    const c = buffer.indexOf(NEWLINE, b + 1);
    if (c < 0) return false;
    // The quality line of a valid record is as long as the sequence, so its end is computed instead of searched.
    let d = c + b - a;
    if (d >= buffer.length) return false;
    if (buffer[d] !== NEWLINE) {
      d = buffer.indexOf(NEWLINE, c + 1);
      if (d < 0) return false;
    }
    this.#accept(next, a, b, c, d);
    this.#next = d + 1;
    return true;
  }

  #scanLast(): void {
    // A missing line end after the last record is valid.
    this.buffer = Buffer.concat([this.buffer.subarray(this.#next), Buffer.from('\n')]);
    this.#next = 0;
    if (!this.scan()) throw this.#wrong(4 * this.records + 1, 'the last record is incomplete. Upload the file again.');
  }

  #accept(start: number, a: number, b: number, c: number, d: number): void {
    const { buffer } = this;
    const line = 4 * this.records + 1;
    if (buffer[start] !== AT) throw this.#wrong(line, 'a read name must start with @');
    if (buffer[a - 1] === RETURN) throw this.#wrong(line, 'Windows line ends. Convert the file with dos2unix.');
    if (buffer[b + 1] !== PLUS) throw this.#wrong(line + 2, 'the third line of a record must start with +');
    if (d - c !== b - a) throw this.#wrong(line + 3, `${d - c - 1} quality values for ${b - a - 1} bases`);
    if (b - a === 1) throw this.#wrong(line + 1, 'the read has no bases');
    this.start = start;
    this.nameEnd = a;
    this.end = d + 1;
    this.records++;
  }

  async #fill(): Promise<void> {
    let step: IteratorResult<Buffer>;
    try {
      step = await this.#chunks.next();
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? '';
      if (code === 'Z_BUF_ERROR') throw this.#wrong(undefined, 'truncated gzip file. Upload it again.', 'gzip_cut');
      if (code.startsWith('Z_')) throw this.#wrong(undefined, 'damaged gzip file. Upload it again.', 'gzip_damaged');
      throw error;
    }
    if (step.done) {
      this.#ended = true;
      return;
    }
    this.#unpacked += step.value.length;
    if (this.#unpacked > this.#limit)
      throw this.#wrong(undefined, `unpacks to more than ${MAX_FASTQ_RATIO} times its size`, 'gzip_ratio');
    this.buffer =
      this.#next < this.buffer.length ? Buffer.concat([this.buffer.subarray(this.#next), step.value]) : step.value;
    this.#next = 0;
  }

  #verify(): void {
    const { sha256 } = this.file;
    if (sha256 !== undefined && this.#hash.digest('hex') !== sha256)
      throw this.#wrong(undefined, 'has changed since the task was launched. Launch it again.', 'file_changed');
  }

  #wrong(line: number | undefined, what: string, code = 'fastq_broken'): BadInput {
    return new BadInput(this.file.name, line, what, code);
  }
}

async function isGzip(stream: Readable): Promise<boolean> {
  await new Promise<void>((done, failed) => {
    stream.once('readable', done);
    stream.once('error', failed);
  });
  const head = stream.read(2) as Buffer | null;
  if (!head) return false;
  stream.unshift(head);
  return head[0] === 0x1f && head[1] === 0x8b;
}
