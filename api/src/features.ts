/** Every feature of the api. One that is missing here leaves its operations without a handler, and nothing starts. */
import type { Deps, Feature } from './feature.ts';
import { createGenomes } from './genomes/feature.ts';
import { createGroups } from './groups/feature.ts';
import { createListedTypes } from './listed-types/feature.ts';
import type { OpenApiDocument } from './openapi/document.ts';
import { createPanelTypes } from './panel-types/feature.ts';
import { createPipelines } from './pipelines/feature.ts';
import { createPresets } from './presets/feature.ts';
import { createProjects } from './projects/feature.ts';
import { readFilesInUse } from './projects/files-in-use.ts';
import { createSessions } from './session/feature.ts';
import type { PasswordHasher } from './session/passwords.ts';
import type { Tokens } from './session/tokens.ts';
import { createSettings } from './settings/feature.ts';
import { createSystem } from './system/feature.ts';
import { createUploads } from './uploads/feature.ts';
import { createUsers } from './users/feature.ts';

export interface FeatureParts {
  tokens: Tokens;
  hasher: PasswordHasher;
  document: OpenApiDocument;
}

export async function createFeatures(deps: Deps, { tokens, hasher, document }: FeatureParts): Promise<Feature[]> {
  const features: Feature[] = [
    createSessions(deps, tokens, hasher),
    createUsers(deps, hasher),
    createGroups(deps),
    createSettings(deps),
    createListedTypes(deps),
    createProjects(deps, tokens, readFilesInUse),
    createUploads(deps),
    createGenomes(deps),
    createPanelTypes(deps),
    createPipelines(deps),
    createPresets(deps),
    createSystem(deps, document, () => features),
  ];
  return features;
}
