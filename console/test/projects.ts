import type { Project, ProjectFile } from '../src/queries/projects.ts';

/** A project of five FASTQ files. */
export function buildProject(change: Partial<Project> = {}): Project {
  return {
    id: '55555555-5555-4555-8555-555555555555',
    name: 'run_1',
    created: '2026-11-01T08:09:10.000Z',
    fastqs: 5,
    files: 6,
    size: 3 * 1024 ** 3,
    owner: 'mei',
    ...change,
  };
}

/** A FASTQ file; id and sum follow from the name. */
export function buildFile(name: string, change: Partial<ProjectFile> = {}): ProjectFile {
  return {
    id: `66666666-6666-4666-8666-${String(name.length).padStart(12, '0')}`,
    name,
    type: 'fastq',
    size: 41_200_000,
    sha256: 'ab12'.repeat(16),
    created: '2026-11-01T08:09:10.000Z',
    owner: 'mei',
    ...change,
  };
}
