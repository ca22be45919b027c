import { describe, expect, test } from '@jest/globals';
import { parseTranscript } from '../genome/transcripts-table.ts';
import { AlleleSet, alleleSpans } from './alleles.ts';
import { changedSpan, partNumbers } from './consequences.ts';
import { codingName, genomicName, proteinName } from './hgvs.ts';
import { clinvarStars, populationsOf } from './known-sites.ts';
import { orderConsequences, rankTranscripts } from './rank.ts';
import { ensemblTerms } from './terms.ts';

describe('HGVS names', () => {
  test.each([
    ['c.5946delT', 'c.5946del'],
    ['c.1798_1799delGTinsAA', 'c.1798_1799delinsAA'],
    ['c.12dupA', 'c.12dup'],
    ['c.5_6insACG', 'c.5_6insACG'],
  ])('%s is written %s', (from, to) => {
    expect(codingName(from)).toBe(to);
  });

  test.each([
    ['p.Leu12Leu', 'p.Leu12='],
    ['p.Arg213*', 'p.Arg213Ter'],
    ['p.Val600Glu', 'p.Val600Glu'],
  ])('%s is written %s', (from, to) => {
    expect(proteinName(from)).toBe(to);
  });

  // 101 A C G T T T T A C A C A G. An insertion or deletion in a run is named at its 3' end.
  const window = 'ACGTTTTACACAG';
  test.each([
    [{ pos: 103, ref: 'G', alt: 'A' }, 'g.103G>A'],
    [{ pos: 102, ref: 'CG', alt: 'TA' }, 'g.102_103delinsTA'],
    [{ pos: 103, ref: 'GT', alt: 'G' }, 'g.107del'],
    [{ pos: 103, ref: 'G', alt: 'GT' }, 'g.107dup'],
    [{ pos: 107, ref: 'TAC', alt: 'T' }, 'g.111_112del'],
    [{ pos: 103, ref: 'G', alt: 'GCC' }, 'g.103_104insCC'],
  ])('%j is %s', (allele, name) => {
    expect(genomicName(allele, window, 101)).toBe(name);
  });
});

test('consequences use the terms and IMPACT of Ensembl, most severe first', () => {
  expect(ensemblTerms('splice_donor_variant&intron_variant')).toEqual({
    terms: 'splice_donor_variant',
    impact: 'HIGH',
  });
  expect(ensemblTerms('splice_region_variant&missense_variant')).toEqual({
    terms: 'missense_variant&splice_region_variant',
    impact: 'MODERATE',
  });
  expect(ensemblTerms('disruptive_inframe_deletion').terms).toBe('inframe_deletion');
});

const line = (id: string, strand: string, mane: number, cds: string): string =>
  `chr1\t100\t900\t${id}\tG\t${strand}\tprotein_coding\t${mane}\t0\t100-199;300-399;800-900\t${cds}`;

test('exons and introns are numbered in the direction of the transcript', () => {
  const [plus, minus] = ['+', '-'].map((strand) => parseTranscript(line('T', strand, 0, '150-199')));
  expect(partNumbers(plus!, 350, 350)).toEqual({ exon: '2/3', intron: '.' });
  expect(partNumbers(minus!, 120, 120)).toEqual({ exon: '3/3', intron: '.' });
  expect(partNumbers(minus!, 250, 250)).toEqual({ exon: '.', intron: '2/2' });
  expect(partNumbers(plus!, 50, 50)).toEqual({ exon: '.', intron: '.' });
});

test('the transcript shown first is the laboratory’s, then MANE, then the longest', () => {
  const transcripts = [
    parseTranscript(line('NM_1.2', '+', 0, '150-199')),
    parseTranscript(line('NM_2.1', '+', 1, '150-180')),
    parseTranscript(line('NM_3.1', '+', 0, '150-199;300-399')),
  ];
  expect([...rankTranscripts(transcripts, {}).values()]).toEqual(['other', 'MANE', 'longest']);
  const ranks = rankTranscripts(transcripts, { G: 'NM_1.9' });
  expect(ranks.get('NM_1.2')).toBe('preferred');
  const of = (transcript: string) => ({
    transcript,
    gene: 'G',
    terms: 'intron_variant',
    impact: 'MODIFIER',
    exon: '.',
    intron: '.',
    c: '.',
    p: '.',
  });
  expect(orderConsequences(['NM_3.1', 'NM_2.1', 'NM_1.2'].map(of), ranks).map((c) => c.transcript)).toEqual([
    'NM_1.2',
    'NM_2.1',
    'NM_3.1',
  ]);
});

test('population frequencies are read in total and by group, in both naming styles', () => {
  expect(
    populationsOf(
      'gnomad',
      new Map([
        ['AC', '2'],
        ['AN', '100'],
        ['AF', '0.02'],
        ['AF_afr', '0.05'],
        ['eas_AF', '0.1'],
      ]),
    ),
  ).toEqual([
    { name: 'gnomad', ac: '2', an: '100', af: '0.02' },
    { name: 'gnomad_afr', ac: '.', an: '.', af: '0.05' },
    { name: 'gnomad_eas', ac: '.', an: '.', af: '0.1' },
  ]);
  expect(
    populationsOf(
      'counts',
      new Map([
        ['AC', '1'],
        ['AN', '4'],
      ]),
    ),
  ).toEqual([{ name: 'counts', ac: '1', an: '4', af: '0.25' }]);
});

test('the review status gives the stars of ClinVar', () => {
  const statuses = [
    'no_assertion_criteria_provided',
    'criteria_provided,_single_submitter',
    'criteria_provided,_multiple_submitters,_no_conflicts',
    'reviewed_by_expert_panel',
    'practice_guideline',
  ];
  expect(statuses.map(clinvarStars)).toEqual(['0', '1', '2', '3', '4']);
});

test('alleles of several samples are listed once, in the genome’s order, and close ones share a query', () => {
  const call = (chrom: string, pos: number, alt: string) => ({
    chrom,
    pos,
    ref: 'A',
    alt,
    filter: 'PASS',
    info: new Map([['KEY', `${chrom}${pos}${alt}`]]),
    format: new Map<string, string>(),
  });
  const set = new AlleleSet();
  set.add([call('b', 5, 'C'), call('a', 900, 'C')]);
  set.add([call('a', 10, 'T'), call('b', 5, 'C'), call('a', 10, 'C')]);
  const alleles = set.sorted([{ name: 'a' }, { name: 'b' }]);
  expect(alleles.map((a) => a.key)).toEqual(['a10C', 'a10T', 'a900C', 'b5C']);
  expect(alleleSpans(alleles).length).toBe(3);
  expect(changedSpan({ pos: 10, ref: 'GTT', alt: 'G' })).toEqual({ start: 11, end: 12 });
});
