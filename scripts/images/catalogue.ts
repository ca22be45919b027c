/** The images of the product: what goes into each, what it is called, how large it may be. */

import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '..', '..');
/** Layers, archives and the data of a daemon of our own. */
export const CACHE = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'seqpanel', 'images');

export interface Image {
  name: 'api' | 'operator' | 'pipeline' | 'postgres';
  tag: string;
  title: string;
  dockerfile: string;
  /** Upper limit in MB of 1,000,000 bytes, as docker counts. */
  limitMb: number;
  /** Workspaces whose packages and sources are below /app. The first is the program; it imports the others. */
  workspaces: string[];
  /** Packages of the workspaces that this program does not use. */
  leftOut?: string[];
  /** Files and folders of the workspaces and of the console's build that go below /app. */
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
    // The tag that the shipped Pipeline names; it moves with the pipeline's version, not with the product's.
    tag: 'seqpanel/pipeline:1.0.0',
    title: 'SeqPanel pipeline: step programs and their tools',
    dockerfile: 'pipeline-images/Dockerfile',
    limitMb: 900,
    workspaces: ['pipeline-images', 'crds'],
    // Step programs never talk to the API server.
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
    // Postgres' version and our version of its image. A release with the same version does not restart the database.
    tag: 'seqpanel/postgres:18.4-1',
    title: 'SeqPanel bundled Postgres',
    dockerfile: 'api/postgres.Dockerfile',
    limitMb: 250,
    workspaces: [],
    sources: ['api/postgres'],
  },
];

/** The images of these names, all of them for none. Throws for a name that is none. */
export function imagesNamed(names: readonly string[]): Image[] {
  const unknown = names.find((name) => !IMAGES.some((image) => image.name === name));
  if (unknown !== undefined)
    throw new Error(`${unknown} is no image; there are ${IMAGES.map(({ name }) => name).join(', ')}.`);
  return IMAGES.filter(({ name }) => names.length === 0 || names.includes(name));
}
