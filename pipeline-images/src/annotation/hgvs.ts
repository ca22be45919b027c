/** HGVS names as currently recommended (varnomen.hgvs.org). */

/** Removes the deleted bases that snpEff writes (`c.5946delT`, `c.1_2delGTinsAA`), as recommended. */
export function codingName(name: string): string {
  return name
    .replace(/del[ACGTN]+ins/, 'delins')
    .replace(/del[ACGTN]+$/, 'del')
    .replace(/dup[ACGTN]+$/, 'dup')
    .replace(/inv[ACGTN]+$/, 'inv');
}

/** Rewrites `p.Leu12Leu` as `p.Leu12=`, and stops as Ter. */
export function proteinName(name: string): string {
  return name.replaceAll('*', 'Ter').replace(/^p\.([A-Z][a-z]{2})(\d+)\1$/, 'p.$1$2=');
}

/**
 * Returns the genomic name of an allele, `g.7578406C>T`, shifted to the 3' end as far as the window allows. `window`
 * contains reference bases from `windowStart` (1-based) on.
 */
export function genomicName(
  allele: { pos: number; ref: string; alt: string },
  window: string,
  windowStart: number,
): string {
  let { pos, ref, alt } = allele;
  while (ref.length > 0 && alt.length > 0 && ref[0] === alt[0]) {
    ref = ref.slice(1);
    alt = alt.slice(1);
    pos++;
  }
  while (ref.length > 0 && alt.length > 0 && ref.at(-1) === alt.at(-1)) {
    ref = ref.slice(0, -1);
    alt = alt.slice(0, -1);
  }
  if (ref.length === 1 && alt.length === 1) return `g.${pos}${ref}>${alt}`;
  if (ref !== '' && alt !== '') return `g.${span(pos, ref.length)}delins${alt}`;
  const at = (p: number): string | undefined => window[p - windowStart];
  let moved = ref === '' ? alt : ref;
  // An indel in a repeat is named at the end of the repeat: A-TA-TA with one TA less has lost the last TA.
  for (;;) {
    const next = at(ref === '' ? pos : pos + ref.length);
    if (next === undefined || next !== moved[0]) break;
    moved = moved.slice(1) + next;
    pos++;
  }
  if (ref !== '') return `g.${span(pos, ref.length)}del`;
  const before = window.slice(pos - moved.length - windowStart, pos - windowStart);
  if (before === moved && pos - moved.length >= windowStart) return `g.${span(pos - moved.length, moved.length)}dup`;
  return `g.${pos - 1}_${pos}ins${moved}`;
}

const span = (pos: number, length: number): string => (length === 1 ? `${pos}` : `${pos}_${pos + length - 1}`);
