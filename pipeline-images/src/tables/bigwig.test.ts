import { inflateSync } from 'node:zlib';
import { type BigWigContig, bigWig } from './bigwig.ts';

/** Reads values back through the index in the header, as a viewer does. */
function valuesOf(bytes: Buffer, contig: string): [number, number, number][] {
  const tree = Number(bytes.readBigUInt64LE(8));
  const key = bytes.readUInt32LE(tree + 8);
  const names = Array.from({ length: bytes.readUInt16LE(tree + 34) }, (_, i) => {
    const at = tree + 36 + i * (key + 8);
    return bytes.toString('latin1', at, at + key).replace(/\0+$/, '');
  });
  const index = Number(bytes.readBigUInt64LE(24));
  const values: [number, number, number][] = [];
  for (let i = 0; i < bytes.readUInt16LE(index + 50); i++) {
    const at = index + 52 + i * 32;
    if (names[bytes.readUInt32LE(at)] !== contig) continue;
    const offset = Number(bytes.readBigUInt64LE(at + 16));
    const plain = inflateSync(bytes.subarray(offset, offset + Number(bytes.readBigUInt64LE(at + 24))));
    expect(plain.length).toBeLessThanOrEqual(bytes.readUInt32LE(52));
    for (let item = 0; item < plain.readUInt16LE(22); item++) {
      const from = 24 + item * 12;
      values.push([plain.readUInt32LE(from), plain.readUInt32LE(from + 4), plain.readFloatLE(from + 8)]);
    }
  }
  return values;
}

const contig = (name: string, n: number): BigWigContig => ({
  name,
  length: 100_000,
  stretches: Array.from({ length: n }, (_, i) => ({ start: i * 3, end: i * 3 + 2, value: i % 500 })),
});

test('every interval is found through the index, also where a contig has several sections', () => {
  const bytes = bigWig([contig('chr7', 2500), contig('chr17', 3)]);
  expect(bytes.readUInt32LE(0)).toBe(0x888ffc26);
  expect(valuesOf(bytes, 'chr17')).toEqual([
    [0, 2, 0],
    [3, 5, 1],
    [6, 8, 2],
  ]);
  const long = valuesOf(bytes, 'chr7');
  expect(long).toHaveLength(2500);
  expect(long.at(-1)).toEqual([7497, 7499, 499]);
});

test('a sample without reads gives a file without values', () => {
  expect(valuesOf(bigWig([{ name: 'c1', length: 3000, stretches: [] }]), 'c1')).toEqual([]);
});
