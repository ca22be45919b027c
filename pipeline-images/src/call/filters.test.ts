import { chunksOf } from './chunks.ts';
import type { Evidence } from './evidence.ts';
import { type CallLimits, judgeCall } from './filters.ts';
import { genotype } from './genotype.ts';
import { LimitOfDetection } from './lod.ts';
import { joinCalls } from './merge.ts';
import { Roi } from './roi-lookup.ts';

const limits: CallLimits = {
  callFloor: 0.01,
  reportFloor: 0.02,
  minDepth: 50,
  minAlt: 5,
  minQuality: 20,
  strandP: 1e-6,
};

const evidence = (more: Partial<Evidence> = {}): Evidence => ({
  key: 'k',
  chrom: 'c1',
  pos: 1000,
  ref: 'A',
  alt: 'C',
  type: 'SNV',
  length: 1,
  hapId: undefined,
  atoms: '1000:A>C',
  refF: 90,
  refR: 90,
  altF: 10,
  altR: 10,
  depth: 200,
  refBq: 35,
  altBq: 35,
  refMq: 60,
  altMq: 60,
  readPos: 50,
  endDistance: 40,
  primerDistance: 50,
  homopolymer: 1,
  paralog: undefined,
  hotspot: undefined,
  amplicons: [{ amplicon: 'A', ref: 180, alt: 20, depth: 200 }],
  ...more,
});
const reasons = (more: Partial<Evidence>, quality = 40, inRoi = true) =>
  judgeCall(evidence(more), quality, inRoi, limits).filters;

test('a good call has no filter, and each weakness adds one', () => {
  expect(reasons({})).toEqual([]);
  expect(reasons({}, 40, false)).toEqual(['outside_roi']);
  expect(reasons({}, 12)).toEqual(['low_quality']);
  expect(reasons({ refF: 15, refR: 15, depth: 40, altF: 5, altR: 5 })).toEqual(['low_depth']);
  expect(reasons({ altF: 3, altR: 0, depth: 200 })).toEqual(['low_vaf', 'low_alt']);
  expect(reasons({ altF: 1, altR: 0, depth: 200 })).toEqual(['low_vaf', 'below_floor', 'low_alt']);
  expect(reasons({ altF: 40, altR: 0, refF: 40, refR: 120 })).toEqual(['strand_bias']);
  expect(reasons({ endDistance: 1 })).toEqual(['read_end']);
  expect(reasons({ altMq: 2 })).toEqual(['low_mapq']);
  expect(reasons({ ref: 'AT', alt: 'A', homopolymer: 9, altF: 6, altR: 6 })).toEqual(['homopolymer']);
});

test('ALT on one strand is no bias when REF is on that strand too, as in a single-direction design', () => {
  expect(reasons({ refF: 180, refR: 0, altF: 20, altR: 0 })).toEqual([]);
});

test('a change seen on only one of two covering amplicons is an artefact', () => {
  const amplicons = [
    { amplicon: 'A', ref: 80, alt: 20, depth: 100 },
    { amplicon: 'B', ref: 100, alt: 0, depth: 100 },
  ];
  expect(reasons({ amplicons })).toEqual(['amplicon_bias']);
  expect(reasons({ amplicons, primerDistance: undefined })).toEqual([]);
});

test('an allele of both callers is one call, another spelling is dropped, a new one keeps its own counts', () => {
  const called = (pos: number, ref: string, alt: string) => ({
    ...{ chrom: 'c1', pos, ref, alt, gt: '0/1', gq: 50, depth: 200, altBq: 30, altMq: 60 },
    ...{ refF: 90, refR: 90, altF: 10, altR: 10 },
  });
  const joined = joinCalls(
    [evidence()],
    [called(1000, 'A', 'C'), called(999, 'GA', 'TC'), called(2000, 'G', 'T')],
    'g',
    new Map(),
  );
  expect(joined.map(({ caller, evidence: e }) => [caller, e.pos])).toEqual([
    ['both', 1000],
    ['freebayes', 2000],
  ]);
});

test('chunks are split by bases, but never between close spans', () => {
  const span = (start: number, length: number, chrom = 'c1') => ({ chrom, start, end: start + length - 1 });
  const chunks = chunksOf([
    span(1, 15_000),
    span(20_000, 6_000),
    span(26_100, 500),
    span(40_000, 100),
    span(1, 10, 'c2'),
  ]);
  expect(chunks.map((chunk) => chunk.length)).toEqual([3, 2]);
});

test('an indel is inside by the bases it changes, not by its anchor', () => {
  const roi = new Roi([{ chrom: 'c1', start: 100, end: 200 }]);
  const at = (pos: number, ref: string, alt: string): boolean => roi.holds({ chrom: 'c1', pos, ref, alt });
  expect([at(99, 'AT', 'A'), at(200, 'AT', 'A'), at(98, 'ACT', 'A'), at(200, 'A', 'T'), at(201, 'A', 'T')]).toEqual([
    true,
    false,
    true,
    true,
    false,
  ]);
});

test('genotypes follow the frequency, and their quality drops where two genotypes explain the counts', () => {
  expect(genotype(100, 200, 0.001, 0.85)).toEqual({ gt: '0/1', gq: 99 });
  expect(genotype(199, 200, 0.001, 0.85)).toEqual({ gt: '1/1', gq: 99 });
  expect(genotype(1, 6, 0.001, 0.85).gq).toBeLessThan(30);
  expect(genotype(0, 0, 0.001, 0.85)).toEqual({ gt: './.', gq: 0 });
});

test('the limit of detection falls with depth, rises with error, and is undefined where no count is enough', () => {
  const lod = new LimitOfDetection(limits);
  expect(lod.at(200, 0.001)!).toBeGreaterThan(lod.at(2000, 0.001)!);
  expect(lod.at(2000, 0.02)!).toBeGreaterThan(lod.at(2000, 0.0001)!);
  expect(lod.at(4, 0.001)).toBeUndefined();
});
