import type { Span } from '@seqpanel/crds/panel.ts';

/** Bases per caller process. Fixed, so that the chunks are the same on every machine. */
export const CHUNK_BASES = 20_000;
/** Spans closer than this stay in one chunk because a caller needs the whole neighbourhood of an allele. */
const KEEP_TOGETHER = 500;

/** Groups sorted, merged spans into chunks of about CHUNK_BASES. Never splits a span. */
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
