import { partnerKey, partnerName } from '@seqpanel/crds/file-partners.ts';
import { byName, type ClientRules } from '../../hooks/client-rows.ts';
import type { TableDefinition } from '../../hooks/table-url.ts';
import type { ProjectFile } from '../../queries/projects.ts';

export const FILE_TYPES = ['fastq', 'bam', 'bai', 'samplesheet'] as const;

export const FILES_TABLE: TableDefinition = {
  id: 'project-files',
  sortable: ['name', 'type', 'size', 'created', 'owner'],
  defaultSort: { key: 'name', dir: 'asc' },
  filters: {
    type: { allowed: FILE_TYPES, multiple: true },
    partner: { allowed: ['missing'] },
  },
};

/** A file with the name of its partner, and whether a required partner is missing. */
export interface FileRow extends ProjectFile {
  partner: string | undefined;
  isPartnerMissing: boolean;
}

/**
 * Returns the files with their partners. Flags the missing partner of a BAM index without its BAM and of an R2 without
 * its R1. A lone R1 is a single-end run, and a lone BAM is indexed when it is used.
 */
export function withPartners(files: readonly ProjectFile[]): FileRow[] {
  const names = new Set(files.map(({ name }) => name));
  return files.map((file) => {
    const expected = partnerName(file.name);
    const isThere = expected !== undefined && names.has(expected);
    const needsIt = file.type === 'bai' || (file.type === 'fastq' && partnerKey(file.name) !== file.name);
    return {
      ...file,
      partner: isThere ? expected : undefined,
      isPartnerMissing: expected !== undefined && !isThere && needsIt,
    };
  });
}

/** Sorting by name puts partners next to each other. The browser sorts, because the api sends the whole list. */
export const FILE_RULES: ClientRules<FileRow> = {
  text: ({ name, sha256, owner }) => [name, sha256, owner],
  compare: {
    name: (a, b) => byName(partnerKey(a.name), partnerKey(b.name)) || byName(a.name, b.name),
    type: (a, b) => a.type.localeCompare(b.type) || byName(a.name, b.name),
    size: (a, b) => a.size - b.size,
    created: (a, b) => a.created.localeCompare(b.created),
    owner: (a, b) => byName(a.owner, b.owner),
  },
  filter: {
    type: (row, value) => row.type === value,
    partner: (row) => row.isPartnerMissing,
  },
};
