/**
 * Applies the Pipelines shipped with the product once per installation: a deleted one does not come back, and a new one
 * of a later release is added. A ConfigMap records that a Pipeline was applied, and remains after its deletion.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Pipeline } from '@seqpanel/crds/kinds.ts';
import type { KubeClient } from '@seqpanel/crds/kube/client.ts';
import { isAlreadyExists } from '@seqpanel/crds/kube/errors.ts';
import { ignoreGone } from '@seqpanel/crds/kube/ignore-gone.ts';
import { CONFIG_MAPS, PIPELINES } from '@seqpanel/crds/kube/objects.ts';
import { parse } from 'yaml';
import { OURS } from '../jobs/labels.ts';

/** Returns the manifests of a folder by name. Throws if one cannot be read. */
export function readShipped(folder: string): Map<string, Pipeline> {
  const shipped = new Map<string, Pipeline>();
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.yaml'))) {
    const pipeline = parse(readFileSync(join(folder, file), 'utf8')) as Pipeline;
    shipped.set(pipeline.metadata?.name ?? '', pipeline);
  }
  return shipped;
}

/** Name of the ConfigMap. Deleting it applies the Pipeline again at the next start. */
export const markName = (pipeline: string): string => `seqpanel-applied-${pipeline}`;

/** Returns true when the Pipeline was applied now. Safe to repeat: an existing Pipeline is not changed. */
export async function applyShipped(client: KubeClient, pipeline: Pipeline, signal: AbortSignal): Promise<boolean> {
  const name = pipeline.metadata?.name ?? '';
  if (await exists(client.get(CONFIG_MAPS, markName(name), { signal }))) return false;
  const made = await created(client.create(PIPELINES, pipeline, { signal }));
  await created(
    client.create(
      CONFIG_MAPS,
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: markName(name), labels: OURS },
        immutable: true,
        data: { pipeline: name, version: pipeline.spec.version },
      },
      { signal },
    ),
  );
  return made;
}

const created = (call: Promise<unknown>): Promise<boolean> =>
  call.then(
    () => true,
    (error: unknown) => {
      if (isAlreadyExists(error)) return false;
      throw error;
    },
  );

const exists = async (call: Promise<object>): Promise<boolean> => (await ignoreGone(call)) !== undefined;
