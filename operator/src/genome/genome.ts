/** Installs a Genome: a Job checks its FASTA, builds the indexes and installs its annotation sources. */

import { aliasesOf, canonicalName } from '@seqpanel/crds/contigs.ts';
import type { Genome } from '@seqpanel/crds/kinds.ts';
import { GENOMES } from '@seqpanel/crds/kube/objects.ts';
import { GENOME_SOURCES, genomeFolders, isBelow } from '@seqpanel/crds/storage.ts';
import type { Checked, CheckKind, Folder } from '../check/check-kind.ts';
import { sourceFolders } from '../check/source-folders.ts';

export type CheckedGenome = Genome & Checked;

/** The genome's part of install-genome's termination message. */
interface Installed {
  contigs?: [name: string, length: number, md5?: string][];
  indexes?: { tool: string; version: string; path: string; memoryMiB?: number }[];
}

const HALF_A_DAY = 12 * 3600;

const sourcesOf = ({ source, annotation = [] }: Genome['spec']) => [source, ...annotation.map((entry) => entry.source)];

const fetches = (spec: Genome['spec']): boolean => sourcesOf(spec).some(({ url }) => url);

const pathsOf = (spec: Genome['spec']): string[] => sourcesOf(spec).flatMap(({ path }) => path ?? []);

/** Returns the target folders and the folders of sources that are already on the storage. */
function foldersOf(spec: Genome['spec']): Folder[] {
  const installed = genomeFolders(spec).map((path) => ({ path, readOnly: false }));
  return [...installed, ...sourceFolders(pathsOf(spec), installed)];
}

export const genomeCheck: CheckKind<CheckedGenome> = {
  resource: GENOMES as CheckKind<CheckedGenome>['resource'],
  step: 'install-genome',
  specFile: 'genome.json',
  cpu: '1',
  // Enough for a demo. The index of a human genome needs about 8 GiB, which memory doubling reaches.
  memory: 2 * 2 ** 30,
  validMessage: 'The sequence is valid and its indexes are built.',
  timeoutSeconds: HALF_A_DAY,
  env: ({ genomeHosts }): Record<string, string> =>
    genomeHosts.length > 0 ? { SEQPANEL_GENOME_HOSTS: genomeHosts.join(',') } : {},
  // Only pods that download get network access, and they do not see patient data.
  component: ({ spec }) => (fetches(spec) ? 'genome' : 'check'),
  folders: ({ spec }) => foldersOf(spec),
  machine: ({ spec }) => spec.instanceType,
  content: ({ metadata, spec }) => {
    const { active: _, ...installed } = spec;
    return { name: metadata.name, spec: installed };
  },
  refuse: ({ spec }, { genomeHosts }) => {
    const outside = pathsOf(spec).find((path) => !isBelow(GENOME_SOURCES, path));
    if (outside !== undefined)
      return { reason: 'PathNotAllowed', message: `"${outside}" is not below incoming/ or references/.` };
    for (const source of sourcesOf(spec)) {
      if (source.url === undefined) continue;
      // Includes the port unless it is 443, the only open port.
      const host = URL.parse(source.url)?.host;
      if (host === undefined) return { reason: 'BadUrl', message: `"${source.url}" is not a URL.` };
      if (!genomeHosts.includes(host))
        return {
          reason: 'SourceNotAllowed',
          message: `Downloads from ${host} are not allowed. Ask the administrator to add it to the allowed genome hosts.`,
        };
    }
    return undefined;
  },
  accept: (termination) => {
    const { contigs = [], indexes = [] } = (termination['genome'] as Installed | undefined) ?? {};
    return {
      contigs: contigs.map(([name, length, md5]) => ({
        name,
        canonical: canonicalName(name, md5),
        aliases: aliasesOf(name, md5),
        length,
        ...(md5 && { md5 }),
      })),
      indexes,
    };
  },
  ready: (_, valid) => {
    if (valid.status === 'True')
      return { status: 'True', reason: 'Ready', message: 'The reference and its indexes are installed.' };
    return { status: 'False', reason: valid.reason, message: valid.message };
  },
};
