import type { Span } from '@seqpanel/crds/panel.ts';

/** Sorted, merged spans that can be searched by position. */
export class Roi {
  readonly spans: readonly Span[];
  readonly #byContig = new Map<string, Span[]>();

  constructor(spans: readonly Span[]) {
    this.spans = spans;
    for (const span of spans) {
      const list = this.#byContig.get(span.chrom);
      if (list) list.push(span);
      else this.#byContig.set(span.chrom, [span]);
    }
  }

  /** Reports whether the spans contain a changed base. The anchor base of an indel does not count. */
  holds({ chrom, pos, ref, alt }: { chrom: string; pos: number; ref: string; alt: string }): boolean {
    const anchored = ref.length !== alt.length && ref[0] === alt[0];
    const first = anchored ? pos + 1 : pos;
    const last = Math.max(first, pos + ref.length - 1);
    return (this.#byContig.get(chrom) ?? []).some((span) => first <= span.end && last >= span.start);
  }
}
