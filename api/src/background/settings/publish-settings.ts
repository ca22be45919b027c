/**
 * Writes the settings that the operator needs to its ConfigMap: at startup, after every change, and periodically in
 * case somebody else changed the object. Any replica may write, because equal settings make equal objects.
 */

import type { KubeClient } from '@seqpanel/crds/kube/client.ts';
import type { ConfigMap } from '@seqpanel/crds/kube/core-types.ts';
import { isForbidden, isNotFound } from '@seqpanel/crds/kube/errors.ts';
import { CONFIG_MAPS } from '@seqpanel/crds/kube/objects.ts';
import { encodeOperatorSettings, OPERATOR_SETTINGS_NAME } from '@seqpanel/crds/operator-settings.ts';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { createLoop, type Loop } from '../../live/wake.ts';
import type { ReadSettings } from '../../settings/read.ts';

const POLL_MS = 60_000;

export interface PublishOptions {
  db: Knex;
  kube: Pick<KubeClient, 'get' | 'create' | 'update'>;
  settings: ReadSettings;
  log: Logger;
}

export const createSettingsPublisher = (options: PublishOptions): Loop =>
  createLoop({
    name: 'settings publisher',
    log: options.log,
    pollMs: POLL_MS,
    work: async (signal) => {
      try {
        if (await publishSettings(options, signal)) options.log.info('settings written for the operator');
      } catch (error) {
        if (!isForbidden(error)) throw error;
        // The chart creates the object and grants the right to change only this one.
        options.log.warn(
          { err: error, configMap: OPERATOR_SETTINGS_NAME },
          'settings not written, upgrade the release',
        );
      }
      return undefined;
    },
  });

/** Returns true when the object was changed. */
export async function publishSettings({ db, kube, settings }: PublishOptions, signal: AbortSignal): Promise<boolean> {
  const weights = await db('user_group').whereNot({ weight: 1 }).orderBy('id').select('id', 'weight');
  // The limits of the installation (Helm values) apply until somebody sets others.
  const set = new Set(await db('setting').whereIn('name', ['group_pods', 'total_pods']).pluck('name'));
  const data = encodeOperatorSettings({
    finishedTaskDays: await settings('finished_task_days'),
    ...(set.has('group_pods') && { groupPods: await settings('group_pods') }),
    ...(set.has('total_pods') && { totalPods: await settings('total_pods') }),
    groupWeights: Object.fromEntries(weights.map(({ id, weight }) => [id, weight])),
  });
  let found: Awaited<ReturnType<typeof kube.get<ConfigMap>>>;
  try {
    found = await kube.get(CONFIG_MAPS, OPERATOR_SETTINGS_NAME, { signal });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    const metadata = { name: OPERATOR_SETTINGS_NAME };
    await kube.create(CONFIG_MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data }, { signal });
    return true;
  }
  const isSame = Object.entries(data).every(([key, value]) => found.data?.[key] === value);
  if (isSame) return false;
  // Sends the version that was read, so that one of two conflicting replicas reads again.
  await kube.update(CONFIG_MAPS, { ...found, data: { ...found.data, ...data } }, { signal });
  return true;
}
