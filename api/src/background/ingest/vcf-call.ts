/** Converts a record of calls.vcf.gz to a row of `call`. crds/src/outputs/call.ts defines the fields. Pure. */

import { alleleType } from '@seqpanel/crds/allele.ts';
import { NO_VALUE } from '@seqpanel/crds/outputs/table.ts';
import { parseVcfLine } from '@seqpanel/crds/vcf.ts';
import { zygosityOf } from '@seqpanel/crds/zygosity.ts';
import type {
  AlleleAnnotationTable,
  CallEvidenceTable,
  CallTable,
  ConsequenceTable,
} from '../../db/tables/variants.ts';
import { numberOf } from './read-table.ts';

type Annotated =
  | Exclude<keyof (ConsequenceTable & AlleleAnnotationTable), 'allele_key'>
  | 'transcripts'
  | 'impact_order';
type Added = 'task_id' | 'sample_idx' | 'chrom_order' | 'called' | 'kept' | 'post_group' | 'search';

/** What the record says of a row of `call` and of its evidence. */
export type CallRow = Omit<CallTable, Annotated | Added> & Pick<CallEvidenceTable, 'genotype' | 'info'>;

/** Fields that have a column of their own. */
const OWN = new Set([
  'KEY',
  'TYPE',
  'LEN',
  'GT',
  'DP',
  'AD',
  'ADF',
  'ADR',
  'VAF',
  'CI',
  'QL',
  'SB',
  'HOTSPOT',
  'SS',
  'N_DP',
  'N_AD',
]);

/** Returns undefined for a header line. Throws for a record without an allele key. */
export function parseCall(line: string): CallRow | undefined {
  const record = parseVcfLine(line);
  if (!record) return undefined;
  const { chrom, pos, ref, alt, filter } = record;
  const fields = new Map([...record.info, ...record.format]);
  const text = (key: string): string | null => {
    const value = fields.get(key);
    return value === undefined || value === NO_VALUE || value === '' ? null : value;
  };
  const number = (key: string, at = 0): number | null => numberOf(text(key)?.split(',')[at]);
  const key = text('KEY');
  if (!key) throw new Error(`${chrom}:${pos} ${ref}>${alt} has no allele key`);
  const kind = alleleType(ref, alt);
  const vaf = number('VAF');
  const genotype = text('GT');
  const normalDepth = number('N_DP');
  const normalAlt = number('N_AD', 1);
  return {
    allele_key: key,
    chrom,
    pos,
    ref,
    alt,
    type: (text('TYPE') ?? kind.type) as CallRow['type'],
    length: number('LEN') ?? kind.length,
    amplicon:
      text('AMP')
        ?.split(',')
        .map((part) => part.split('|')[0])
        .join(',') ?? null,
    vaf,
    vaf_low: number('CI', 0),
    vaf_high: number('CI', 1),
    depth: number('DP'),
    alt_count: number('AD', 1),
    alt_forward: number('ADF', 1),
    alt_reverse: number('ADR', 1),
    ref_forward: number('ADF', 0),
    ref_reverse: number('ADR', 0),
    quality: number('QL'),
    strand_ratio: strandRatio(number('ADF', 1), number('ADR', 1)),
    strand_p: number('SB'),
    genotype,
    zygosity: zygosityOf(genotype, vaf),
    filter: filter === 'PASS' || filter === NO_VALUE ? [] : filter.split(';'),
    hotspot: text('HOTSPOT'),
    somatic: text('SS'),
    normal_vaf: normalDepth && normalAlt !== null ? normalAlt / normalDepth : null,
    normal_depth: normalDepth,
    info: Object.fromEntries(
      [...fields].filter(([name, value]) => !OWN.has(name) && value !== NO_VALUE && value !== ''),
    ),
  };
}

const strandRatio = (forward: number | null, reverse: number | null): number | null =>
  forward === null || reverse === null || forward + reverse === 0 ? null : forward / (forward + reverse);
