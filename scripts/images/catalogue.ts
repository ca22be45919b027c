/** Images of the product: content, name and size limit of each. */

import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '..', '..');
/** Folder of layers, archives and the data of our own daemon. */
export const CACHE = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'seqpanel', 'images');

export interface Image {
  name: 'api' | 'operator' | 'pipeline' | 'postgres';
  tag: string;
  title: string;
  dockerfile: string;
  /** Maximum size in MB of 1,000,000 bytes, as docker counts. */
  limitMb: number;
  /** Workspaces whose packages and sources are copied below /app: first the program, then those it imports. */
  workspaces: string[];
  /** Packages of the workspaces that this program does not use. */
  leftOut?: string[];
  /** Files and folders of the workspaces and of the console's build that are copied below /app. */
  sources: string[];
}

const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
const CRDS = ['crds/package.json', 'crds/src', 'crds/yaml', 'crds/schemas', 'crds/pipelines'];

export const IMAGES: readonly Image[] = [
  {
    name: 'api',
    tag: `seqpanel/api:${version}`,
    title: 'SeqPanel api and console',
    dockerfile: 'api/Dockerfile',
    limitMb: 280,
    workspaces: ['api', 'crds'],
    sources: [...CRDS, 'api/package.json', 'api/src', 'api/openapi', 'api/migrations', 'console/dist'],
  },
  {
    name: 'operator',
    tag: `seqpanel/operator:${version}`,
    title: 'SeqPanel operator',
    dockerfile: 'operator/Dockerfile',
    limitMb: 280,
    workspaces: ['operator', 'crds'],
    sources: [...CRDS, 'operator/package.json', 'operator/src', 'scripts/demo'],
  },
  {
    name: 'pipeline',
    // The tag in the shipped Pipeline. It changes with the pipeline's version, not with the product's.
    tag: 'seqpanel/pipeline:1.0.0',
    title: 'SeqPanel pipeline: step programs and their tools',
    dockerfile: 'pipeline-images/Dockerfile',
    limitMb: 900,
    workspaces: ['pipeline-images', 'crds'],
    // Step programs never call the API server.
    leftOut: ['@kubernetes/client-node', 'undici'],
    sources: [
      ...CRDS,
      'pipeline-images/package.json',
      'pipeline-images/debian-packages.txt',
      'pipeline-images/src',
      'pipeline-images/bin',
    ],
  },
  {
    name: 'postgres',
    // The tag combines Postgres' version and our image version, so that a release with the same one does not restart
    // the database.
    tag: 'seqpanel/postgres:18.4-1',
    title: 'SeqPanel bundled Postgres',
    dockerfile: 'api/postgres.Dockerfile',
    limitMb: 250,
    workspaces: [],
    sources: ['api/postgres'],
  },
];

/** Returns the images of these names, or all without names. Throws for an unknown name. */
export function imagesNamed(names: readonly string[]): Image[] {
  const unknown = names.find((name) => !IMAGES.some((image) => image.name === name));
  if (unknown !== undefined)
    throw new Error(`Unknown image ${unknown}. Images: ${IMAGES.map(({ name }) => name).join(', ')}.`);
  return IMAGES.filter(({ name }) => names.length === 0 || names.includes(name));
}
