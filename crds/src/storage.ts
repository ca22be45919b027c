/**
 * Paths below the storage root, relative to `$SEQPANEL_STORAGE` and made of validated names. No other code builds storage
 * paths.
 */

import { isPlainPath } from './storage-path.ts';

/** Folders for files that people provide. Resources name such files by path. */
export const PANEL_SOURCES = ['panels', 'incoming'] as const;
export const GENOME_SOURCES = ['incoming', 'references'] as const;

/** Reports whether the path is a file below one of the folders, by the rules of the resource definitions. */
export const isBelow = (folders: readonly string[], path: string): boolean =>
  isPlainPath(path) && path.includes('/') && folders.includes(path.split('/')[0]!);

export const referenceDir = (genome: string): string => `references/${genome}`;
export const panelDir = (value: string): string => `panels/${value}`;
export const annotationBundleDir = (bundle: string): string => `annotation/${bundle}`;
export const annotationDir = (bundle: string, version: string): string => `${annotationBundleDir(bundle)}/${version}`;
/**
 * Files that install-genome writes to the genome's folder: `genome.json`, as frozen for tasks, and `annotation.json`, the
 * installed annotation sources with paths and hashes.
 */
export const installedGenome = (genome: string): string => `${referenceDir(genome)}/genome.json`;
export const installedAnnotation = (genome: string): string => `${referenceDir(genome)}/annotation.json`;
/** Named after genome and source, because annotation uses a genome's contig names. */
export const annotationBundle = (genome: string, source: string): string => `${genome}.${source}`;
/** The only folders that the pod of a panel check or genome installation may write to. */
export const panelFolders = ({ value }: { value: string }): string[] => [panelDir(value)];
export const genomeFolders = ({
  value,
  annotation = [],
}: {
  value: string;
  annotation?: { name: string }[];
}): string[] => [
  referenceDir(value),
  ...annotation.map(({ name }) => annotationBundleDir(annotationBundle(value, name))),
];
export const projectDir = (groupId: string, projectId: string): string => `projects/${groupId}/${projectId}`;
export const taskDir = (taskId: string): string => `tasks/${taskId}`;
/** Cache of a group's steps for later tasks: annotations of alleles, databases of genes. */
export const cacheRoot = (groupId: string): string => `cache/${groupId}`;
export const cacheDir = (groupId: string, key: string): string => `${cacheRoot(groupId)}/${key}`;
/**
 * Results by fingerprint for later tasks of a group: hard links to files of ended tasks. Only the api writes here, pods
 * read (docs/adr/0042).
 */
export const keptRoot = (groupId: string): string => `kept/${groupId}`;
export const keptDir = (groupId: string, key: string): string => `${keptRoot(groupId)}/${key}`;

/** Paths in a task's folder. A step's output is one folder, renamed into place. */
export const FROZEN_MANIFEST = 'frozen.json';
/** Folder with one file, the uid of the AnalysisTask that owns the task folder (docs/adr/0066). */
export const TASK_CLAIM = '.claim';
export const TASK_CLAIM_UID = `${TASK_CLAIM}/uid`;
export const workDir = (podUid: string): string => `.work/${podUid}`;
export const readsDir = (sample: string): string => `samples/${sample}/reads`;
export const callDir = (sample: string): string => `samples/${sample}/call`;
export const logFile = (step: string, sample?: string): string => `logs/${step}${sample ? `-${sample}` : ''}.log`;
export const COHORT_DIR = 'cohort';
export const JOINT_DIR = 'joint';
export const ANNOTATION_DIR = 'annotation';
export const POST_FILTER_DIR = 'post-filter';
export const QC_DIR = 'qc';
export const REPORT_DIR = 'report';

/** Folder for a step's outputs and its result.json. */
export function stepDir(step: string, sample?: string): string {
  if (sample !== undefined) return `samples/${sample}/${step}`;
  return step;
}
