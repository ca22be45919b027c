/** RefSeq accessions of human chromosomes, used as contig names in NCBI's GFF3 and dbSNP's VCF. */

/** Version of the accession in GRCh37 (GRCh38: one higher) and lengths in GRCh37 and GRCh38, bp, for 1 to 22, X, Y. */
const CHROMOSOMES: readonly (readonly [version37: number, length37: number, length38: number])[] = [
  [10, 249250621, 248956422],
  [11, 243199373, 242193529],
  [11, 198022430, 198295559],
  [11, 191154276, 190214555],
  [9, 180915260, 181538259],
  [11, 171115067, 170805979],
  [13, 159138663, 159345973],
  [10, 146364022, 145138636],
  [11, 141213431, 138394717],
  [10, 135534747, 133797422],
  [9, 135006516, 135086622],
  [11, 133851895, 133275309],
  [10, 115169878, 114364328],
  [8, 107349540, 107043718],
  [9, 102531392, 101991189],
  [9, 90354753, 90338345],
  [10, 81195210, 83257441],
  [9, 78077248, 80373285],
  [9, 59128983, 58617616],
  [10, 63025520, 64444167],
  [8, 48129895, 46709983],
  [10, 51304566, 50818468],
  [10, 155270560, 156040895],
  [9, 59373566, 57227415],
];

export interface KnownContig {
  /** `17`, `X`. */
  name: string;
  length: number;
  /** The chromosome's length in the other build. A contig with that length is from the other build. */
  otherLength: number;
}

/** Returns the chromosome of an accession such as NC_000017.10, or undefined for any other name. */
export function chromosomeOf(accession: string): KnownContig | undefined {
  const m = /^NC_0000(\d\d)\.(\d+)$/.exec(accession);
  const number = Number(m?.[1]);
  const known = CHROMOSOMES[number - 1];
  if (!m || !known) return undefined;
  const [version37, length37, length38] = known;
  const name = number === 23 ? 'X' : number === 24 ? 'Y' : String(number);
  if (Number(m[2]) === version37) return { name, length: length37, otherLength: length38 };
  return Number(m[2]) === version37 + 1 ? { name, length: length38, otherLength: length37 } : undefined;
}
