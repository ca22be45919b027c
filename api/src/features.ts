/**
 * Lists every feature of the api. Startup fails when a feature is missing here, because its operations have no handler.
 */

import { type ClusterFeature, createCluster } from './background/feature.ts';
import type { Deps, Feature } from './feature.ts';
import { createGenomes } from './genomes/feature.ts';
import { createGroups } from './groups/feature.ts';
import { createJobs } from './jobs/feature.ts';
import { createLaunch } from './launch/feature.ts';
import { createLookupTables } from './lookup-tables/feature.ts';
import type { OpenApiDocument } from './openapi/document.ts';
import { createPanelTypes } from './panel-types/feature.ts';
import { createPipelines } from './pipelines/feature.ts';
import { createPresets } from './presets/feature.ts';
import { createProjects } from './projects/feature.ts';
import { readFilesInUse } from './projects/files-in-use.ts';
import { createResults } from './results/feature.ts';
import { createSessions } from './session/feature.ts';
import type { PasswordHasher } from './session/passwords.ts';
import { createThrottle } from './session/throttle.ts';
import type { Tokens } from './session/tokens.ts';
import { createSettings } from './settings/feature.ts';
import { createSso } from './sso/feature.ts';
import { createSystem } from './system/feature.ts';
import { createTaskResults } from './task-results/feature.ts';
import { createTasks } from './tasks/feature.ts';
import { createUploads } from './uploads/feature.ts';
import { createUsers } from './users/feature.ts';
import { createWorkers } from './workers/feature.ts';

export interface FeatureParts {
  tokens: Tokens;
  hasher: PasswordHasher;
  document: OpenApiDocument;
  /** In tests: a cluster with a Kubernetes client of the test. */
  cluster?: ClusterFeature;
}

export async function createFeatures(deps: Deps, parts: FeatureParts): Promise<Feature[]> {
  const { tokens, hasher, document } = parts;
  const cluster = parts.cluster ?? createCluster(deps);
  const throttle = createThrottle(deps.config.loginsPerMinute, deps.now);
  const features: Feature[] = [
    createSessions(deps, tokens, hasher, throttle),
    createSso(deps, tokens, throttle),
    createUsers(deps, hasher),
    createGroups(deps),
    createSettings(deps),
    createLookupTables(deps),
    createProjects(deps, tokens, readFilesInUse),
    createUploads(deps),
    createGenomes(deps),
    createPanelTypes(deps),
    createPipelines(deps),
    createPresets(deps),
    createLaunch(deps, cluster.wakeDispatcher),
    createTasks(deps, cluster.wakeDispatcher),
    createResults(deps),
    createTaskResults(deps),
    createWorkers(deps),
    createJobs(deps, () => features.flatMap(({ jobs = [] }) => jobs)),
    cluster,
    createSystem(deps, document, () => features),
  ];
  return features;
}
