import { texts } from './zh/index.ts';

type Texts = { [key: string]: string | Texts };

const flat = (all: object, path = ''): [string, string][] =>
  Object.entries(all as Texts).flatMap(([key, value]) =>
    typeof value === 'string' ? [[path + key, value] as [string, string]] : flat(value, `${path}${key}.`),
  );
const chinese = flat(texts);

const TERMS: [term: string, meaning: string, others: RegExp][] = [
  ['面板', 'panel', /(?<!Seq)Panel|芯片/],
  ['参数文件', 'parameters file', /预设|参数集/],
  ['泳道', 'lane', /通道/],
  ['读段', 'read', /读数|读长|短读/],
  ['合格', 'passing QC', /通过/],
  ['筛选', 'filter', /过滤/],
  ['变异频率 (VAF)', 'variant allele frequency', /读频|突变频率/],
  ['正反链比例', 'strand ratio', /链比(?!例)/],
  ['位点背景错误率', 'site error', /误差/],
  ['配对正常样本', 'matched normal', /配对正常(?!样本)/],
  ['CNV 正常对照', 'CNV normal', /CNV 正常(?!对照)/],
  ['用户组', 'group of users', /本组|小组/],
  ['流程', 'pipeline', /管线|流水线/],
  ['扩增子', 'amplicon', /扩增片段/],
];

const LATIN = new Set(
  [
    ['bp', 'GB', 'MB', 'UTC', 'p', 'ID', 'UID', 'IP', 'URL', 'API', 'SFTP', 'LDAP'],
    [
      'FASTQ',
      'BAM',
      'CSV',
      'SVG',
      'PNG',
      'JSON',
      'VCF',
      'gzip',
      'json',
      'txt',
      'csv',
      'fastq',
      'fq',
      'gz',
      'bam',
      'bai',
    ],
    [
      'SeqPanel',
      'IGV',
      'MultiQC',
      'Celery',
      'Pod',
      'kubectl',
      'AnalysisTask',
      'spec',
      'system',
      'log',
      'common',
      'undetermined',
    ],
    [
      'SIFT',
      'PolyPhen',
      'ClinVar',
      'dbSNP',
      'rsID',
      'Ensembl',
      'MANE',
      'Phred',
      'Fisher',
      'HGVS',
      'SO',
      'NM',
      'SHA-256',
    ],
    [
      'R1',
      'R2',
      'REF',
      'ALT',
      'VAF',
      'ROI',
      'CNV',
      'SMA',
      'LOH',
      'NTC',
      'PosCtrl',
      'NegCtrl',
      'CpG',
      'GC',
      'Q30',
      'SNV',
      'MNV',
      'DELINS',
    ],
    [
      'SMN1',
      'SMN2',
      'A',
      'B',
      'C',
      'G',
      'T',
      'c',
      'g',
      'chr',
      'pos',
      'chr-pos-ref-alt',
      'incoming',
      'calls',
      'vcf',
      'result',
    ],
  ].flat(),
);

describe('the Chinese texts', () => {
  test.each(TERMS)('say %s for the %s', (term, _meaning, others) => {
    expect(chinese.some(([, text]) => text.includes(term))).toBe(true);
    expect(chinese.filter(([, text]) => others.test(text))).toEqual([]);
  });

  test('have no English words except units, formats and names', () => {
    const found = chinese.flatMap(([key, text]) =>
      [...text.replace(/\{[^}]*\}/g, '').matchAll(/[A-Za-z][A-Za-z0-9-]*/g)].map(([word]) => [key, word] as const),
    );
    expect(found.filter(([, word]) => !LATIN.has(word))).toEqual([]);
  });

  test('have no space around Chinese punctuation', () => {
    expect(chinese.filter(([, text]) => /\s[，。；：（）]|[，。；：（）]\s/.test(text))).toEqual([]);
  });
});
