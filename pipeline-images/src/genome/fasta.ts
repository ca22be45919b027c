/** Decompresses and checks a FASTA in one pass. */

import { createReadStream, createWriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { BadInput } from '../runner/bad-input.ts';

const LF = 10;
const CR = 13;
const GREATER = 62;

/** 1 for a letter of a nucleotide sequence (IUPAC, both cases), 0 for any other byte. */
const SEQUENCE = new Uint8Array(256);
for (const letter of 'ACGTUNRYSWKMBDHVacgtunryswkmbdhv') SEQUENCE[letter.charCodeAt(0)] = 1;

/** Checks FASTA bytes as they pass. Throws BadInput with the line of the first error. */
export function createFastaCheck(name: string) {
  let line = 1;
  let inHeader = false;
  let lineStart = true;
  let header: number[] = [];
  let bases = 0;
  const contigs = new Map<string, number>();
  const closeHeader = (): void => {
    const contig = Buffer.from(header).toString('latin1').split(/\s/)[0]!;
    if (contig === '') throw new BadInput(name, line, 'a sequence has no name');
    if (!/^[A-Za-z0-9_.|+-]{1,63}$/.test(contig)) throw new BadInput(name, line, `"${contig}" is not a contig name`);
    if (contigs.has(contig)) throw new BadInput(name, line, `the contig ${contig} occurs twice`);
    contigs.set(contig, 0);
    header = [];
  };
  return {
    contigs,
    /** Checks a chunk. Returns it without carriage returns. */
    push(chunk: Buffer): Buffer {
      let returns = 0;
      for (let i = 0; i < chunk.length; i++) {
        const byte = chunk[i]!;
        if (byte === LF) {
          if (inHeader) closeHeader();
          inHeader = false;
          lineStart = true;
          line++;
          continue;
        }
        if (byte === CR) {
          returns++;
          continue;
        }
        if (lineStart) {
          lineStart = false;
          if (byte === GREATER) {
            inHeader = true;
            continue;
          }
          if (contigs.size === 0) throw new BadInput(name, line, 'is not FASTA: it does not start with ">"');
        }
        if (inHeader) header.push(byte);
        else if (SEQUENCE[byte] === 0) throw new BadInput(name, line, `"${String.fromCharCode(byte)}" is not a base`);
        else bases++;
      }
      return returns === 0 ? chunk : Buffer.from(chunk.filter((byte) => byte !== CR));
    },
    end(): void {
      if (inHeader) closeHeader();
      if (contigs.size === 0) throw new BadInput(name, undefined, 'contains no sequence');
      if (bases === 0) throw new BadInput(name, undefined, 'contains no bases');
    },
  };
}

async function isGzip(path: string): Promise<boolean> {
  const handle = await open(path, 'r');
  try {
    const magic = Buffer.alloc(2);
    await handle.read(magic, 0, 2, 0);
    return magic[0] === 0x1f && magic[1] === 0x8b;
  } finally {
    await handle.close();
  }
}

/** Returns the bytes of a text file, decompressed when it is gzip or bgzip. */
export async function openText(path: string): Promise<Readable> {
  const source = createReadStream(path, { highWaterMark: 1 << 20 });
  if (!(await isGzip(path))) return source;
  const unpacked = createGunzip({ chunkSize: 1 << 20 });
  source.once('error', (error) => unpacked.destroy(error));
  return source.pipe(unpacked);
}

/** Copies a plain, gzip or bgzip FASTA to `to`, decompressed and checked. */
export async function unpackFasta(from: string, to: string, name: string, signal: AbortSignal): Promise<void> {
  const check = createFastaCheck(name);
  async function* checked(source: AsyncIterable<Buffer>) {
    for await (const chunk of source) yield check.push(chunk);
    check.end();
  }
  try {
    await pipeline(await openText(from), checked, createWriteStream(to), { signal });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (code === 'Z_BUF_ERROR' || code === 'Z_DATA_ERROR')
      throw new BadInput(name, undefined, 'truncated or damaged gzip file. Upload it again.');
    throw error;
  }
}
