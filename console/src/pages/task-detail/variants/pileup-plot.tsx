import { useTranslation } from 'react-i18next';
import { count } from '../../../components/format.ts';
import type { Pileup } from '../../../queries/results.ts';

const CELL = 9;
const ROW = 11;
const HEAD = 22;

/** Draws the reads around a call: those with the allele first, letters where a base differs, arrows for the strand. */
export function PileupPlot({ pileup }: { pileup: Pileup }) {
  const { t } = useTranslation();
  const width = pileup.reference.length * CELL;
  const height = HEAD + pileup.rows.length * ROW + 4;
  const column = (position: number) => (position - pileup.start) * CELL;
  const altShown = pileup.rows.filter((read) => read.alt).length;
  const caption = t('variants.pileup_caption', {
    count: pileup.rows.length,
    total: count(pileup.counts.alt + pileup.counts.reference),
    altShown,
    alt: count(pileup.counts.alt),
  });
  return (
    <figure className="sp-figure">
      {/* Wider than its card, so it can also be scrolled with keys. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reached */}
      <section className="sp-pileup" tabIndex={0} aria-label={t('variants.pileup')}>
        <svg width={width} height={height} role="img" aria-label={caption}>
          <rect
            x={column(pileup.pos)}
            y="0"
            width={Math.max(1, pileup.ref.length) * CELL}
            height={height}
            className="sp-pileup-locus"
          />
          {[...pileup.reference].map((base, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a base is known by its place
            <text key={index} x={index * CELL + CELL / 2} y="14" textAnchor="middle" className="sp-base">
              {base}
            </text>
          ))}
          {pileup.rows.map((read, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the reads are in a fixed order
            <Read key={index} read={read} pileup={pileup} y={HEAD + index * ROW} />
          ))}
        </svg>
      </section>
      <figcaption>{caption}</figcaption>
    </figure>
  );
}

function Read({ read, pileup, y }: { read: Pileup['rows'][number]; pileup: Pileup; y: number }) {
  const first = read.bases.length - read.bases.trimStart().length;
  const from = first * CELL;
  const width = read.bases.trim().length * CELL;
  const arrow =
    read.strand === '+'
      ? `M${from},${y} h${width - 3} l3,4 l-3,4 h${3 - width} z`
      : `M${from + 3},${y} h${width - 3} v8 h${3 - width} l-3,-4 z`;
  return (
    <g className={read.alt ? 'sp-read-alt' : 'sp-read'}>
      <path d={arrow} />
      {[...read.bases].map((base, offset) => {
        const reference = pileup.reference[offset];
        if (reference === undefined || base === ' ' || base.toUpperCase() === reference.toUpperCase()) return null;
        return (
          <text
            // biome-ignore lint/suspicious/noArrayIndexKey: a base is known by its place
            key={offset}
            x={offset * CELL + CELL / 2}
            y={y + 8}
            textAnchor="middle"
            className={base === base.toLowerCase() && base !== '-' ? 'sp-base sp-faded' : 'sp-base'}
          >
            {base === '-' ? '–' : base.toUpperCase()}
          </text>
        );
      })}
    </g>
  );
}
