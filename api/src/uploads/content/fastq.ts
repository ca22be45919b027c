/** Checks that a text begins with a FASTQ record. */

/** Returns the problem of the first record, or undefined if it is valid or there is no record (0 reads). */
export function firstRecordProblem(head: string): string | undefined {
  if (head === '') return undefined;
  const lines = head.split(/\r?\n/, 5);
  const [name, sequence, plus, quality] = lines;
  if (!name?.startsWith('@')) return 'line 1 does not begin with @';
  if (name.length === 1) return 'line 1 has no read name';
  if (sequence === undefined || !/^[A-Za-z.*-]*$/.test(sequence)) return 'line 2 is not a sequence';
  // A read that exceeds the head cannot be checked further.
  if (plus === undefined || quality === undefined)
    return head.length < 60_000 ? 'the first record is not complete' : undefined;
  if (!plus.startsWith('+')) return 'line 3 does not begin with +';
  const qualityEnds = lines.length > 4 || head.length < 60_000;
  if (qualityEnds && quality.length !== sequence.length) return 'line 2 and line 4 differ in length';
  return undefined;
}
