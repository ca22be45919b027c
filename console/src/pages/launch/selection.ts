import { parseFileName } from '@seqpanel/crds/sample-grouping.ts';

/** Returns the code of the reason why these files cannot be selected together; undefined when they can. */
export function selectionRefusal(
  names: readonly string[],
  bamAllowed: boolean,
): { code: string; file?: string } | undefined {
  const parsed = names.map((name) => ({ name, kind: parseFileName(name)?.kind }));
  const unsupported = parsed.find(({ kind }) => kind === undefined);
  if (unsupported) return { code: 'file_format_unsupported', file: unsupported.name };
  const kinds = new Set(parsed.map(({ kind }) => (kind === 'fastq' ? 'fastq' : 'bam')));
  if (kinds.size > 1) return { code: 'file_types_mixed' };
  const bams = new Set(names.filter((name) => /\.bam$/i.test(name)));
  if (bams.size > 0 && !bamAllowed) return { code: 'bam_not_supported' };
  const lone = parsed.find(
    ({ name, kind }) =>
      kind === 'bai' && !bams.has(name.replace(/\.bai$/i, '')) && !bams.has(name.replace(/\.bai$/i, '.bam')),
  );
  return lone ? { code: 'bai_without_bam', file: lone.name } : undefined;
}
