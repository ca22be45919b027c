/** Checks that the content of a complete upload matches its name (ASVS 5.2.2). */
import type { FileHandle } from 'node:fs/promises';
import type { FileType } from '@seqpanel/crds/file-types.ts';
import { Invalid } from '../../errors.ts';
import { openToRead, type StoragePlace } from '../../storage/inside-storage.ts';
import { firstRecordProblem } from './fastq.ts';
import { checkGzip, gzipProblem } from './gzip.ts';
import { bgzfBlockSize, inflateBlock, inflateHead, readPart } from './read-part.ts';

const HEAD_BYTES = 65_536;
/** The empty block that ends every BAM file (SAM specification 4.1.2). */
const BAM_END = Buffer.from('1f8b08040000000000ff0600424302001b0003000000000000000000', 'hex');

/** Throws Invalid with the file and its problem. `name` decides the expected type. */
export async function checkContent(place: StoragePlace, name: string, type: FileType): Promise<void> {
  const file = await openToRead(place);
  try {
    const { size } = await file.stat();
    if (size === 0) throw new Invalid('file_empty', { file: name });
    if (type === 'fastq') await checkFastq(file, name, size);
    else if (type === 'bam') await checkBam(file, name, size);
    else if (type === 'bai') await checkIndex(file, name);
    else await checkText(file, name);
  } finally {
    await file.close();
  }
}

async function checkFastq(file: FileHandle, name: string, size: number): Promise<void> {
  let head = await readPart(file, 0, HEAD_BYTES);
  if (name.toLowerCase().endsWith('.gz')) {
    await checkGzip(file, name, size);
    head = await inflateHead(head, HEAD_BYTES).catch((error) => {
      throw gzipProblem(error, name);
    });
  }
  const reason = firstRecordProblem(head.toString('latin1'));
  if (reason) throw new Invalid('fastq_invalid', { file: name, reason });
}

async function checkBam(file: FileHandle, name: string, size: number): Promise<void> {
  const length = bgzfBlockSize(await readPart(file, 0, 18));
  if (length === undefined) throw new Invalid('bam_invalid', { file: name, reason: 'it is not in BGZF blocks' });
  let magic: string;
  try {
    magic = inflateBlock(await readPart(file, 0, length)).toString('latin1', 0, 4);
  } catch (cause) {
    throw new Invalid('bam_invalid', { file: name, reason: 'its first block is damaged' }, { cause });
  }
  if (magic !== 'BAM\x01') throw new Invalid('bam_invalid', { file: name, reason: 'it has no BAM header' });
  const end = await readPart(file, Math.max(0, size - BAM_END.length), BAM_END.length);
  if (!end.equals(BAM_END)) throw new Invalid('bam_truncated', { file: name });
}

async function checkIndex(file: FileHandle, name: string): Promise<void> {
  const magic = (await readPart(file, 0, 4)).toString('latin1');
  if (magic !== 'BAI\x01') throw new Invalid('bai_invalid', { file: name });
}

async function checkText(file: FileHandle, name: string): Promise<void> {
  if ((await readPart(file, 0, HEAD_BYTES)).includes(0)) throw new Invalid('samplesheet_invalid', { file: name });
}
