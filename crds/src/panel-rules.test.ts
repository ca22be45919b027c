import { describe, expect, test } from '@jest/globals';
import { parseControlFile } from './control-file.ts';
import type { PanelFile } from './panel.ts';
import { validatePanel } from './panel-rules.ts';
import { SHIPPED_PARAMETERS } from './parameters.ts';

const aPanel = (changes: Partial<PanelFile> = {}): PanelFile => ({
  schema_version: 1,
  value: 'tp53',
  displayName: 'TP53',
  version: '1',
  genome: { value: 'b37', contigs: [{ name: '17', length: 81_195_210 }] },
  chemistry: 'amplicon',
  analysisTypes: ['germline'],
  bamAllowed: true,
  amplicons: [{ name: 'a1', chrom: '17', start: 101, end: 300, insert: { start: 121, end: 280 } }],
  parameters: SHIPPED_PARAMETERS.map((p) => ({ ...p })),
  ...changes,
});
const amplicon = (changes: Partial<PanelFile['amplicons'][number]>) =>
  aPanel({ amplicons: [{ ...aPanel().amplicons[0]!, ...changes }] });
const messages = (panel: unknown, context = {}) => validatePanel(panel, context).map((p) => `${p.path}: ${p.message}`);

describe('a panel file', () => {
  test('with the shipped parameters is valid', () => {
    expect(
      messages(aPanel(), { value: 'tp53', genomeContigs: [{ name: 'chr17', length: 81_195_210, aliases: ['17'] }] }),
    ).toEqual([]);
  });

  test('[PANEL-15] with an amplicon outside the genome is rejected, naming amplicon and contig', () => {
    expect(
      messages(amplicon({ end: 90_000_000, start: 89_999_900, insert: { start: 89_999_900, end: 90_000_000 } })),
    ).toEqual(['amplicons[0] (a1): ends at 90000000, outside the genome: 17 has 81195210 bases']);
  });

  test('[PANEL-15] with another contig than the genome’s is rejected', () => {
    expect(messages(aPanel(), { genomeContigs: [{ name: 'chr17', length: 83_257_441 }] })).toEqual([
      'genome.contigs[0]: contig 17 is not in the genome b37',
    ]);
    expect(messages(aPanel(), { genomeContigs: [{ name: '17', length: 83_257_441 }] })).toEqual([
      'genome.contigs[0]: contig 17 has 81195210 bases here and 83257441 in the genome',
    ]);
  });

  test('[ROI-04] an amplicon with start greater than end is rejected, start equal to end is accepted', () => {
    expect(messages(amplicon({ start: 301 }))[0]).toBe('amplicons[0] (a1): start 301 is greater than end 300');
    expect(messages(amplicon({ start: 300, end: 300, insert: { start: 300, end: 300 } }))).toEqual([]);
  });

  test('[ROI-05] an amplicon of 35,000 bases is accepted, one of 35,001 is rejected', () => {
    expect(messages(amplicon({ start: 1, end: 35_000 }))).toEqual([]);
    expect(messages(amplicon({ start: 1, end: 35_001 }))).toEqual([
      'amplicons[0] (a1): spans 35001 bases; at most 35000 are allowed',
    ]);
  });

  test('with an insert outside its amplicon is rejected', () => {
    expect(messages(amplicon({ insert: { start: 100, end: 280 } }))).toEqual([
      'amplicons[0] (a1).insert: 100-280 lies outside the amplicon 101-300',
    ]);
  });

  test('with a repeated amplicon name is rejected, naming both places', () => {
    expect(messages(aPanel({ amplicons: [aPanel().amplicons[0]!, aPanel().amplicons[0]!] }))).toEqual([
      'amplicons[1]: the name a1 occurs twice, first at amplicons[0]',
    ]);
  });

  test('[ROI-08] without amplicons is rejected: the panel must have ROI data', () => {
    expect(messages(aPanel({ amplicons: [] }))).toEqual(['amplicons: the panel must have ROI data']);
  });

  test('[PANEL-15] that violates the schema is reported field by field', () => {
    const { version: _, ...panel } = aPanel();
    expect(messages({ ...panel, chemistry: 'magic', surprise: 1 })).toEqual([
      ': lacks the field "version"',
      ': has an unknown field "surprise"',
      'chemistry: must be one of amplicon, capture, bisulfite',
    ]);
    expect(messages('text')).toEqual([': must be object']);
  });

  test('[PANEL-15] of another panel type, or with another control file, is rejected', () => {
    expect(messages(aPanel({ control: 'tp53.txt' }), { value: 'brca', controlName: 'other.txt' })).toEqual([
      'value: is tp53, but the file belongs to the panel type brca',
      'control: the panel file names tp53.txt, but the control file is other.txt',
    ]);
  });

  test('a parameter that no step reads, or with a default outside its limits, is rejected', () => {
    const wrong = { ...SHIPPED_PARAMETERS.find((p) => p.key === 'min_depth')!, default: 0 };
    expect(messages(aPanel({ parameters: [wrong, { ...wrong, key: 'magic', default: 1 }] }))).toEqual([
      'parameters[0] (min_depth).default: The value must be at least 1.',
      'parameters[1] (magic): is not a parameter of the pipeline',
    ]);
  });

  test('[PANEL-15] whose control file names another panel’s amplicon is rejected with the line', () => {
    const { control } = parseControlFile(
      '[amplicons]\namplicon\tcopies\na1\t2\nzz\t2\n[expected]\nmaterial\tchrom\tpos\tref\talt\nm\t17\tx\tA\tC\n',
    );
    expect(messages(aPanel(), { control })).toEqual([
      '[amplicons] line 4: zz is not an amplicon of the panel',
      '[expected] line 7: position x is not on 17',
    ]);
  });
});
