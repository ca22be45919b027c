import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { ERROR_ALTS } from './site-error.ts';

const unzip = promisify(gunzip);

/** site_error.tsv.gz for the step `call`. */
export interface SiteErrorTable {
  /** Rate of a substitution, by priorKey. */
  priors: ReadonlyMap<string, number>;
  /** Errors and depth over the run, by contig, then by siteKey. */
  sites: ReadonlyMap<string, ReadonlyMap<number, { alt: number; total: number }>>;
}

/** Encodes position, ALT (index in ERROR_ALTS) and strand as one number. */
export const siteKey = (pos: number, alt: number, strand: number): number =>
  (pos * ERROR_ALTS.length + alt) * 2 + strand;

export async function readSiteErrors(path: string): Promise<SiteErrorTable> {
  const priors = new Map<string, number>();
  const sites = new Map<string, Map<number, { alt: number; total: number }>>();
  for (const line of (await unzip(await readFile(path))).toString().split('\n')) {
    const cells = line.split('\t');
    if (line.startsWith('##prior')) priors.set(`${cells[1]}\t${cells[2]}`, Number(cells[3]));
    else if (line !== '' && !line.startsWith('#')) {
      const [chrom, pos, alt, strand] = cells as [string, string, (typeof ERROR_ALTS)[number], string];
      let contig = sites.get(chrom);
      if (!contig) {
        contig = new Map();
        sites.set(chrom, contig);
      }
      const key = siteKey(Number(pos), ERROR_ALTS.indexOf(alt), strand === 'F' ? 0 : 1);
      contig.set(key, { alt: Number(cells[4]), total: Number(cells[5]) });
    }
  }
  return { priors, sites };
}

/** The columns of run_alleles.tsv.gz that are added to calls. */
export interface RunAllele {
  samples: number;
  maxVaf: number;
  maxSample: string;
  ntc: number;
}

export async function readRunAlleles(path: string): Promise<Map<string, RunAllele>> {
  const alleles = new Map<string, RunAllele>();
  for (const line of (await unzip(await readFile(path))).toString().split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const cells = line.split('\t');
    alleles.set(cells[4]!, {
      samples: Number(cells[5]),
      maxVaf: Number(cells[7] === '.' ? 0 : cells[7]),
      maxSample: cells[8]!,
      ntc: Number(cells[9]),
    });
  }
  return alleles;
}
