import { Label } from '@patternfly/react-core';
import { useTranslation } from 'react-i18next';
import { count } from '../../../components/format.ts';
import { LongName } from '../../../components/long-name.tsx';
import type { VariantRow } from '../../../queries/results.ts';
import { valueText } from './value-text.ts';
import { allele, percent, small, typeAndLength } from './variant-format.ts';

const IMPACT = { HIGH: 'red', MODERATE: 'orange', LOW: 'blue', MODIFIER: 'grey' } as const;

/** Shows one cell of the variant table, by the column's key. `–` means not measured. */
export function VariantCell({ row, column }: { row: VariantRow; column: string }) {
  const { t } = useTranslation();
  switch (column) {
    case 'sample':
      return <LongName name={row.sample} max={18} />;
    case 'chrom':
      return <span translate="no">{row.chrom}</span>;
    case 'pos':
      return <>{count(row.pos)}</>;
    case 'ref':
    case 'alt':
      return (
        <span className="sp-mono" translate="no" title={row[column]}>
          {allele(row[column])}
        </span>
      );
    case 'type':
      return <span title={t('variants.length', { n: row.length })}>{typeAndLength(row.type, row.length)}</span>;
    case 'vaf':
      return <Vaf row={row} />;
    case 'strand_ratio':
      return <StrandRatio row={row} />;
    case 'consequence':
      return <>{row.consequence ? valueText(t, 'consequence', row.consequence) : '–'}</>;
    case 'impact':
      return row.impact ? (
        <Label isCompact color={IMPACT[row.impact]}>
          {t(`variants.impact.${row.impact}`)}
        </Label>
      ) : (
        <>–</>
      );
    case 'zygosity':
      return <>{row.zygosity ? t(`variants.zygosity.${row.zygosity}`) : '–'}</>;
    case 'clinical_significance':
    case 'somatic': {
      const value = row[column];
      return value ? <LongName name={valueText(t, column, value)} max={32} /> : <>–</>;
    }
    case 'filter':
      return <>{row.filter.map((reason) => valueText(t, 'filter', reason)).join(', ') || 'PASS'}</>;
    case 'transcript':
      return (
        <span translate="no">
          {row.transcript ?? '–'}
          {(row.transcripts ?? 0) > 1 ? ` +${(row.transcripts ?? 0) - 1}` : ''}
        </span>
      );
    case 'population_af':
      return <>{typeof row.population_af === 'number' ? small(row.population_af) : '–'}</>;
    case 'seen':
      return (
        <>
          {row.seen === null || row.seen === undefined
            ? '–'
            : t('variants.seen', { n: row.seen, of: row.seen_of ?? 0 })}
        </>
      );
    default:
      return <Plain value={row[column]} />;
  }
}

function Plain({ value }: { value: unknown }) {
  if (value === null || value === undefined || value === '') return <>–</>;
  if (typeof value === 'number') return <>{Number.isInteger(value) ? count(value) : small(value)}</>;
  return <LongName name={Array.isArray(value) ? value.join(', ') : String(value)} max={32} />;
}

/** Shows number, bar and the 95 % score interval as whisker. */
function Vaf({ row }: { row: VariantRow }) {
  const { t } = useTranslation();
  if (row.vaf === null || row.vaf === undefined) return <>–</>;
  const low = row.vaf_low ?? row.vaf;
  const high = row.vaf_high ?? row.vaf;
  const title = t('variants.vaf_title', {
    alt: row.alt_count ?? '–',
    count: row.depth ?? 0,
    low: percent(low),
    high: percent(high),
  });
  return (
    <span className="sp-vaf" title={title}>
      <span className="sp-tabular">{percent(row.vaf)}</span>
      <svg width="64" height="10" aria-hidden="true">
        <rect x="0" y="2" width="64" height="6" className="sp-vaf-track" />
        <rect x="0" y="2" width={64 * row.vaf} height="6" className="sp-vaf-bar" />
        <line x1={64 * low} x2={64 * high} y1="5" y2="5" className="sp-vaf-whisker" />
      </svg>
    </span>
  );
}

function StrandRatio({ row }: { row: VariantRow }) {
  const { t } = useTranslation();
  if (row.strand_ratio === null || row.strand_ratio === undefined) return <>–</>;
  const title = t('variants.strand_title', {
    forward: row.alt_forward ?? '–',
    reverse: row.alt_reverse ?? '–',
    p: typeof row.strand_p === 'number' ? small(row.strand_p) : '–',
  });
  return (
    <span className="sp-vaf" title={title}>
      <span className="sp-tabular">{row.strand_ratio.toFixed(2)}</span>
      <svg width="40" height="10" aria-hidden="true">
        <rect x="0" y="2" width={40 * row.strand_ratio} height="6" className="sp-strand-forward" />
        <rect
          x={40 * row.strand_ratio}
          y="2"
          width={40 * (1 - row.strand_ratio)}
          height="6"
          className="sp-strand-reverse"
        />
      </svg>
    </span>
  );
}
