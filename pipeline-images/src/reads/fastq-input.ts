import { BadInput } from '../runner/bad-input.ts';
import { FastqReader } from './fastq-reader.ts';
import type { Lane } from './lanes.ts';

const OUT_SIZE = 1 << 18;
const SPACE = 32;
const TAB = 9;
const SLASH = 47;

/** Reads passed on, counted here because a tool may drop reads. */
export interface FastqTotals {
  reads: number;
}

/**
 * Yields the reads of all lanes as one FASTQ stream, mates after each other. The two files of a lane must contain the same
 * reads in the same order. Throws BadInput with the file and line of the first difference. A chunk is valid until the
 * next one is requested.
 */
export async function* fastqStream(
  storage: string,
  lanes: readonly Lane[],
  totals: FastqTotals,
): AsyncGenerator<Buffer> {
  for (const lane of lanes) {
    const readers: FastqReader[] = [];
    try {
      for (const file of lane.r2 ? [lane.r1, lane.r2] : [lane.r1]) readers.push(await FastqReader.open(storage, file));
      yield* laneStream(readers, totals);
    } finally {
      for (const reader of readers) reader.close();
    }
  }
}

async function* laneStream([r1, r2]: FastqReader[], totals: FastqTotals): AsyncGenerator<Buffer> {
  let out = Buffer.allocUnsafe(OUT_SIZE);
  let used = 0;
  for (;;) {
    const one = r1!.scan() || (await r1!.advance());
    if (r2) {
      const two = r2.scan() || (await r2.advance());
      if (one !== two) throw lengthsDiffer(one ? r2 : r1!, one ? r1! : r2);
      if (one && !sameName(r1!, r2)) throw namesDiffer(r1!, r2);
    }
    const size = one ? r1!.end - r1!.start + (r2 ? r2.end - r2.start : 0) : 0;
    if (used > 0 && (!one || used + size > out.length)) {
      yield out.subarray(0, used);
      used = 0;
    }
    if (!one) return;
    if (size > out.length) out = Buffer.allocUnsafe(size);
    used += r1!.buffer.copy(out, used, r1!.start, r1!.end);
    if (r2) used += r2.buffer.copy(out, used, r2.start, r2.end);
    totals.reads += r2 ? 2 : 1;
  }
}

/** Compares read names up to the first blank, without a trailing /1 or /2. */
function nameEnd(reader: FastqReader): number {
  const { buffer, start, nameEnd: end } = reader;
  let i = start;
  while (i < end && buffer[i] !== SPACE && buffer[i] !== TAB) i++;
  return buffer[i - 2] === SLASH ? i - 2 : i;
}

function sameName(a: FastqReader, b: FastqReader): boolean {
  const length = nameEnd(a) - a.start;
  if (nameEnd(b) - b.start !== length) return false;
  for (let i = 1; i < length; i++) if (a.buffer[a.start + i] !== b.buffer[b.start + i]) return false;
  return true;
}

const lengthsDiffer = (short: FastqReader, long: FastqReader): BadInput =>
  new BadInput(
    short.file.name,
    4 * short.records + 1,
    `ends after ${short.records} reads, but ${long.file.name} has more. Upload both files again.`,
    'mates_differ',
  );

const namesDiffer = (a: FastqReader, b: FastqReader): BadInput =>
  new BadInput(
    b.file.name,
    4 * (b.records - 1) + 1,
    `read ${b.buffer.toString('latin1', b.start, nameEnd(b))} is not the mate of ${a.buffer.toString('latin1', a.start, nameEnd(a))} in ${a.file.name}. Upload the two files of one run, in the same order.`,
    'mates_differ',
  );
