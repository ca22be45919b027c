import { Card, CardBody, CardTitle, List, ListItem } from '@patternfly/react-core';
import { Table, Tbody, Td, Th, Thead, Tr } from '@patternfly/react-table';
import { useTranslation } from 'react-i18next';
import { count } from '../../../components/format.ts';
import type { VariantDetail } from '../../../queries/results.ts';
import { percent, small } from './variant-format.ts';

const ALLELES = ['ref', 'alt', 'other', 'total'] as const;
const FIGURES = ['forward', 'reverse', 'total', 'base_quality', 'mapping_quality', 'read_position'] as const;

/** Counts by allele and strand, the VAF with its interval and reference marks, and flags in words. */
export function EvidenceCard({ detail }: { detail: VariantDetail }) {
  const { t } = useTranslation();
  const { row, evidence } = detail;
  const sentence =
    row.vaf === null || row.vaf === undefined
      ? t('variants.evidence.no_reads')
      : t('variants.evidence.sentence', {
          alt: count(row.alt_count ?? 0),
          count: row.depth ?? 0,
          vaf: percent(row.vaf),
          low: percent(row.vaf_low ?? row.vaf),
          high: percent(row.vaf_high ?? row.vaf),
          strands: t(
            row.alt_count === 0
              ? 'variants.evidence.no_strand'
              : row.alt_forward && row.alt_reverse
                ? 'variants.evidence.both_strands'
                : 'variants.evidence.one_strand',
          ),
          p: typeof row.strand_p === 'number' ? small(row.strand_p) : '–',
        });
  return (
    <Card isCompact className="sp-drawer-card">
      <CardTitle component="h3">{t('variants.evidence.title')}</CardTitle>
      <CardBody>
        <p>{sentence}</p>
        <VafAxis detail={detail} />
        <Table variant="compact" aria-label={t('variants.evidence.table')}>
          <Thead>
            <Tr>
              <Th>{t('variants.evidence.allele')}</Th>
              {FIGURES.map((figure) => (
                <Th key={figure} className="sp-number" modifier="wrap">
                  {t(`variants.evidence.${figure}`)}
                </Th>
              ))}
            </Tr>
          </Thead>
          <Tbody>
            {ALLELES.map((allele) => (
              <Tr key={allele}>
                <Th scope="row">{t(`variants.evidence.of.${allele}`)}</Th>
                {FIGURES.map((figure) => {
                  const value = evidence[allele][figure];
                  return (
                    <Td key={figure} className="sp-number">
                      {value === null || value === undefined
                        ? '–'
                        : figure.endsWith('quality')
                          ? value.toFixed(1)
                          : count(value)}
                    </Td>
                  );
                })}
              </Tr>
            ))}
          </Tbody>
        </Table>
        {detail.flags.length > 0 && (
          <List>
            {detail.flags.map((flag) => (
              <ListItem key={`${flag.code}${flag.value ?? ''}`}>
                {t(`variants.flag.${flag.code}` as never, { defaultValue: flag.code, value: flag.value ?? '' })}
              </ListItem>
            ))}
          </List>
        )}
      </CardBody>
    </Card>
  );
}

const WIDTH = 420;
const LEFT = 18;

/** One axis 0 to 100 %: the point with its 95 % interval, and ticks for cut-off, limit of detection, background, normal. */
function VafAxis({ detail }: { detail: VariantDetail }) {
  const { t } = useTranslation();
  const { vaf } = detail;
  if (vaf.value === null) return null;
  const x = (fraction: number) => LEFT + fraction * (WIDTH - 2 * LEFT);
  const marks = (['cutoff', 'lod', 'site_error', 'normal'] as const).flatMap((name) => {
    const value = vaf[name];
    return value === null || value === undefined ? [] : [{ name, value }];
  });
  return (
    <figure className="sp-figure">
      <svg viewBox={`0 0 ${WIDTH} 64`} role="img" aria-label={t('variants.evidence.axis', { vaf: percent(vaf.value) })}>
        <line x1={x(0)} x2={x(1)} y1="24" y2="24" className="sp-axis" />
        {[0, 0.25, 0.5, 0.75, 1].map((tick) => (
          <g key={tick}>
            <line x1={x(tick)} x2={x(tick)} y1="24" y2="28" className="sp-axis" />
            <text x={x(tick)} y="40" textAnchor="middle">
              {tick * 100} %
            </text>
          </g>
        ))}
        {marks.map(({ name, value }) => (
          <line key={name} x1={x(value)} x2={x(value)} y1="8" y2="34" className={`sp-vaf-mark sp-vaf-mark-${name}`}>
            <title>{`${t(`variants.evidence.mark.${name}`)}: ${percent(value)} %`}</title>
          </line>
        ))}
        <line x1={x(vaf.low ?? vaf.value)} x2={x(vaf.high ?? vaf.value)} y1="24" y2="24" className="sp-vaf-interval" />
        <circle cx={x(vaf.value)} cy="24" r="5" className="sp-vaf-point" />
      </svg>
      <figcaption>
        {marks.map(({ name, value }) => (
          <span key={name} className={`sp-legend sp-legend-${name}`}>
            {t(`variants.evidence.mark.${name}`)} {percent(value)} %
          </span>
        ))}
      </figcaption>
    </figure>
  );
}
