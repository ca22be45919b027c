import { expect, test } from '@jest/globals';
import { selectionRefusal } from './selection.ts';

test('[LAUNCH-16] BAM and FASTQ files together are refused', () => {
  expect(selectionRefusal(['a_R1.fastq.gz', 'b.bam'], true)).toEqual({ code: 'file_types_mixed' });
});

test('[LAUNCH-17] BAM files are refused for a panel that does not support BAM', () => {
  expect(selectionRefusal(['b.bam', 'b.bam.bai'], false)).toEqual({ code: 'bam_not_supported' });
  expect(selectionRefusal(['b.bam', 'b.bam.bai'], true)).toBeUndefined();
});

test('[LAUNCH-18] a lone .bam.bai cannot be chosen', () => {
  expect(selectionRefusal(['b.bam.bai'], true)).toEqual({ code: 'bai_without_bam', file: 'b.bam.bai' });
});

test('[UPLOAD-09] an unsupported extension is refused at the selection', () => {
  expect(selectionRefusal(['notes.txt'], true)).toEqual({ code: 'file_format_unsupported', file: 'notes.txt' });
});
