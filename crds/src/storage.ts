/**
 * Where files live below the storage root (DESIGN 5). Every path here is relative to `$SEQPANEL_STORAGE` and made of
 * names that were validated before; nothing else in the product builds a storage path.
 */

import { isPlainPath } from './storage-path.ts';

/** Folders of files that people bring; a resource names them by path. */
export const PANEL_SOURCES = ['panels', 'incoming'] as const;
export const GENOME_SOURCES = ['incoming', 'references'] as const;

/** Reports whether the path leads to a file below one of the folders and nowhere else, as the rules of the definitions say. */
export const isBelow = (folders: readonly string[], path: string): boolean =>
  isPlainPath(path) && path.includes('/') && folders.includes(path.split('/')[0]!);

export const referenceDir = (genome: string): string => `references/${genome}`;
export const panelDir = (value: string): string => `panels/${value}`;
export const annotationBundleDir = (bundle: string): string => `annotation/${bundle}`;
export const annotationDir = (bundle: string, version: string): string => `${annotationBundleDir(bundle)}/${version}`;
/**
 * What install-genome leaves in the genome's folder for the freeze: `genome.json` in the shape a task gets it, and
 * `annotation.json`, the installed annotation sources with their paths and hashes.
 */
export const installedGenome = (genome: string): string => `${referenceDir(genome)}/genome.json`;
export const installedAnnotation = (genome: string): string => `${referenceDir(genome)}/annotation.json`;
/** Annotation is written in a genome's contig names, so its bundle is named after both. */
export const annotationBundle = (genome: string, source: string): string => `${genome}.${source}`;
/** What the check of a panel type, or the installation of a genome, writes to; its pod may write nowhere else. */
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
/** What a group's steps write for steps after them, to be quicker: annotations of alleles, databases of genes. */
export const cacheRoot = (groupId: string): string => `cache/${groupId}`;
export const cacheDir = (groupId: string, key: string): string => `${cacheRoot(groupId)}/${key}`;
/**
 * Results by fingerprint for the later tasks of a group: hard links to the files of tasks that have ended. The api alone
 * writes here; pods read (docs/adr/0042).
 */
export const keptRoot = (groupId: string): string => `kept/${groupId}`;
export const keptDir = (groupId: string, key: string): string => `${keptRoot(groupId)}/${key}`;

/** Below a task's folder. A step's output is one folder, renamed into place at once. */
export const FROZEN_MANIFEST = 'frozen.json';
/** Folder that the first step of a run puts into the task's folder, with one file: the uid of its AnalysisTask. */
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

/** The folder a step leaves its outputs and its result.json in. */
export function stepDir(step: string, sample?: string): string {
  if (sample !== undefined) return `samples/${sample}/${step}`;
  return step;
}
