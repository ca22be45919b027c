/**
 * Groups sample data files into samples by their names, such as `S1_S12_L001_R1_001.fastq.gz`. The lane is optional,
 * dots may replace underscores, reads may be `_1` and `_2`, and any text may follow the read (`_R1_xxx`). Pure. The
 * console uses it for the launch form, launch-task for read and lane that the caller does not set.
 */

export type FileKind = 'fastq' | 'bam' | 'bai';
export type ReadName = 'R1' | 'R2' | 'bam' | 'bai';

export interface ParsedFile {
  name: string;
  kind: FileKind;
  /** The part of the name before read and lane: the sample's name and FASTQ prefix. */
  sample: string;
  read: ReadName;
  lane?: string;
}

export interface SampleGroup {
  sample: string;
  kind: 'fastq' | 'bam';
  files: ParsedFile[];
  problems: { code: 'mate_missing' | 'bai_without_bam' | 'read_repeated' | 'bai_missing'; file: string }[];
}

const FASTQ = /\.(fastq|fq)(\.gz)?$/i;

/**
 * Illumina: Sample[_S<n>][_L<lane>]_R<read>[_<anything>]. The last read mark counts, because a sample may be named R1.
 */
const ILLUMINA = /^(.+?)((?:_S\d+)?(?:[_.]L(\d{1,3}))?[_.]R)([12])((?:[_.][A-Za-z0-9]+)?)$/;
/** Archive: Sample[_L<lane>]_<read>. */
const ARCHIVE = /^(.+?)((?:_S\d+)?(?:[_.]L(\d{1,3}))?[_.])([12])()$/;

interface ReadMark {
  prefix: string;
  lane: string | undefined;
  digit: string;
  /** The same name with the other read. */
  mate: string;
}

/** Finds lane and read in the name of a FASTQ without its extension. Returns undefined when the name has no read. */
function readMark(stem: string): ReadMark | undefined {
  const found = ILLUMINA.exec(stem) ?? ARCHIVE.exec(stem);
  if (!found) return undefined;
  const [, prefix, between, lane, digit, after] = found as unknown as [
    string,
    string,
    string,
    string?,
    string?,
    string?,
  ];
  return { prefix, lane, digit: digit!, mate: `${prefix}${between}${digit === '1' ? '2' : '1'}${after}` };
}

/** Returns the name of the FASTQ with the other read of the pair, or undefined when the name has no read. */
export function mateName(name: string): string | undefined {
  const ending = FASTQ.exec(name);
  const mate = ending && readMark(name.slice(0, ending.index))?.mate;
  return mate ? mate + ending[0] : undefined;
}

/** Parses a file name. Returns undefined for a file that is not FASTQ, BAM or BAI. */
export function parseFileName(name: string): ParsedFile | undefined {
  if (/\.bam$/i.test(name)) return { name, kind: 'bam', sample: name.slice(0, -4), read: 'bam' };
  if (/\.bai$/i.test(name)) {
    return { name, kind: 'bai', sample: name.replace(/\.bai$/i, '').replace(/\.bam$/i, ''), read: 'bai' };
  }
  if (!FASTQ.test(name)) return undefined;
  const stem = name.replace(FASTQ, '');
  const mark = readMark(stem);
  if (mark) return fastq(name, mark.prefix, mark.digit, mark.lane && `L${mark.lane.padStart(3, '0')}`);
  return { name, kind: 'fastq', sample: stem, read: 'R1' };
}

/**
 * Reads `Sample_<date>.<lane>.<index>`, a name that sequencing centres use: the text before the first dot is the
 * sample. Flow cells of one sample have different prefixes; the user joins them.
 */
function fastq(name: string, prefix: string, read: string, lane: string | undefined): ParsedFile {
  const centre = /^(.+)\.(\d{1,3})\.([ACGTN]{4,}(?:[-+][ACGTN]{4,})?)$/.exec(prefix);
  const sample = centre ? centre[1]! : prefix;
  const found = centre ? `L${centre[2]!.padStart(3, '0')}` : lane;
  return {
    name,
    kind: 'fastq',
    sample: toSampleName(sample),
    read: read === '1' ? 'R1' : 'R2',
    ...(found && { lane: found }),
  };
}

/** Replaces dots by underscores, because sample names cannot contain dots. */
export const toSampleName = (text: string): string => text.replace(/[^A-Za-z0-9_-]+/g, '_').replace(/^_+|_+$/g, '');

/**
 * Returns samples sorted by name (digits as numbers), and their files by lane and read. Reports as problems: a lane of
 * a paired sample without R2, a lone R2, a lone BAI, and two files of one lane and read.
 */
export function groupFiles(names: readonly string[]): SampleGroup[] {
  const groups = new Map<string, SampleGroup>();
  for (const name of names) {
    const parsed = parseFileName(name);
    if (!parsed) continue;
    const kind = parsed.kind === 'fastq' ? 'fastq' : 'bam';
    const sample = toSampleName(parsed.sample);
    const key = `${kind}/${sample}`;
    let group = groups.get(key);
    if (!group) {
      group = { sample, kind, files: [], problems: [] };
      groups.set(key, group);
    }
    group.files.push({ ...parsed, sample });
  }
  const order = new Intl.Collator('en', { numeric: true }).compare;
  const sorted = [...groups.values()].sort((a, b) => order(a.sample, b.sample));
  for (const group of sorted) {
    group.files.sort(
      (a, b) => order(`${a.lane ?? ''} ${a.read}`, `${b.lane ?? ''} ${b.read}`) || order(a.name, b.name),
    );
    group.problems = filesProblems(group.files);
  }
  return sorted;
}

/** Returns the problems of one sample's files, by lane and read. */
export function filesProblems(files: readonly Pick<ParsedFile, 'name' | 'read' | 'lane'>[]): SampleGroup['problems'] {
  const problems: SampleGroup['problems'] = [];
  const seen = new Map<string, { name: string; read: ReadName }>();
  const lanes = new Map<string, Map<string, string>>();
  for (const file of files) {
    const lane = file.lane ?? '';
    const key = `${lane}/${file.read}`;
    if (seen.has(key) && file.read !== 'bam') problems.push({ code: 'read_repeated', file: file.name });
    seen.set(key, file);
    if (!lanes.has(lane)) lanes.set(lane, new Map());
    lanes.get(lane)!.set(file.read, file.name);
  }
  const paired = files.some(({ read }) => read === 'R2');
  for (const reads of lanes.values()) {
    const [r1, r2] = [reads.get('R1'), reads.get('R2')];
    if (r2 && !r1) problems.push({ code: 'mate_missing', file: r2 });
    if (paired && r1 && !r2) problems.push({ code: 'mate_missing', file: r1 });
  }
  const bai = files.find(({ read }) => read === 'bai');
  if (bai && !files.some(({ read }) => read === 'bam')) problems.push({ code: 'bai_without_bam', file: bai.name });
  return problems;
}
