/** Renames the contigs of a VCF to a genome's as the text passes. */

import type { Contig } from '@seqpanel/crds/contigs.ts';
import { matchContig } from '@seqpanel/crds/contigs.ts';
import { BadInput } from '../runner/bad-input.ts';

const LF = 10;
const TAB = 9;

/**
 * Yields the VCF with the genome's `##contig` lines and contig names. Drops records on contigs that the genome lacks.
 * Throws BadInput with the line for an invalid VCF.
 */
export async function* inGenomeNames(
  source: AsyncIterable<Buffer>,
  contigs: readonly Contig[],
  name: string,
): AsyncGenerator<Buffer> {
  const known = new Map<string, { name: Buffer; length: number } | undefined>();
  const find = (contig: string) => {
    if (!known.has(contig)) {
      const match = matchContig(contigs, { name: contig });
      known.set(contig, match && { name: Buffer.from(match.name), length: match.length ?? Number.POSITIVE_INFINITY });
    }
    return known.get(contig);
  };
  let line = 0;
  let inHeader = true;
  let rest: Buffer<ArrayBufferLike> = Buffer.alloc(0);
  const convert = (text: Buffer): Buffer[] => {
    line++;
    if (line === 1 && !text.subarray(0, 16).toString().startsWith('##fileformat=VCF'))
      throw new BadInput(name, 1, 'is not a VCF file: it does not start with ##fileformat=VCF', 'annotation_invalid');
    if (inHeader && text[0] === 35) {
      if (text[1] === 35) return text.subarray(0, 9).toString() === '##contig=' ? [] : [text];
      inHeader = false;
      return [Buffer.from(contigs.map((c) => `##contig=<ID=${c.name},length=${c.length}>\n`).join('')), text];
    }
    if (text.length <= 1) return [];
    if (inHeader) throw new BadInput(name, line, 'a record before the #CHROM line', 'annotation_invalid');
    const tab = text.indexOf(TAB);
    if (tab < 1) throw new BadInput(name, line, 'is not a VCF record', 'annotation_invalid');
    const contig = find(text.subarray(0, tab).toString('latin1'));
    if (!contig) return [];
    const pos = Number(text.subarray(tab + 1, text.indexOf(TAB, tab + 1)).toString('latin1'));
    if (!Number.isInteger(pos)) throw new BadInput(name, line, 'has no position', 'annotation_invalid');
    return pos <= contig.length ? [contig.name, text.subarray(tab)] : [];
  };
  for await (const chunk of source) {
    const whole = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const out: Buffer[] = [];
    let from = 0;
    for (let at = whole.indexOf(LF); at >= 0; at = whole.indexOf(LF, from)) {
      out.push(...convert(whole.subarray(from, at + 1)));
      from = at + 1;
    }
    rest = whole.subarray(from);
    if (out.length > 0) yield Buffer.concat(out);
  }
  if (rest.length > 0) yield Buffer.concat(convert(Buffer.concat([rest, Buffer.from('\n')])));
  if (inHeader) throw new BadInput(name, undefined, 'is not a VCF file: there is no #CHROM line', 'annotation_invalid');
}
