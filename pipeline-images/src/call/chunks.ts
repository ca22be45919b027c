import type { Span } from '@seqpanel/crds/panel.ts';

/** Bases of one caller process. Fixed, so that a panel is cut alike on every machine (DESIGN 5). */
export const CHUNK_BASES = 20_000;
/** Spans nearer than this stay together: a caller must see an allele's whole neighbourhood. */
const KEEP_TOGETHER = 500;

/** Cuts sorted, merged spans into chunks of about CHUNK_BASES; a span is never cut. */
export function chunksOf(spans: readonly Span[]): Span[][] {
  const chunks: Span[][] = [];
  let bases = Number.POSITIVE_INFINITY;
  let last: Span | undefined;
  for (const span of spans) {
    const near = last?.chrom === span.chrom && span.start - last.end < KEEP_TOGETHER;
    if (bases >= CHUNK_BASES && !near) {
      chunks.push([]);
      bases = 0;
    }
    chunks.at(-1)!.push(span);
    bases += span.end - span.start + 1;
    last = span;
  }
  return chunks;
}
