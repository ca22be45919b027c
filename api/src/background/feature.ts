/**
 * Starts the background work: dispatcher, mirror, ingest, sweeps and the websocket. Without a cluster it starts only
 * the parts that need none.
 */

import { KubeClient } from '@seqpanel/crds/kube/client.ts';
import { loadKubeAccess } from '@seqpanel/crds/kube/kubeconfig.ts';
import { formatMessage } from '@seqpanel/crds/messages.ts';
import { OPEN_STATUSES } from '@seqpanel/crds/task-status.ts';
import type { Knex } from 'knex';
import type { Deps, Feature } from '../feature.ts';
import type { Authenticate } from '../http/caller.ts';
import { notifyTask } from '../live/events.ts';
import { createListener } from '../live/listener.ts';
import { createLive } from '../live/socket.ts';
import { createLoop } from '../live/wake.ts';
import { type Intent, OUTBOX_CHANNEL } from '../outbox/intent.ts';
import { SETTINGS_CHANNEL } from '../settings/settings-changed.ts';
import { measureTraffic } from '../system/measures.ts';
import { pruneWorkers } from '../workers/prune.ts';
import { createDispatcher } from './dispatcher/dispatcher.ts';
import { createIngest } from './ingest/ingest-loop.ts';
import { INGEST_CHANNEL } from './ingest/turns.ts';
import { createMirror } from './mirror/mirror.ts';
import { createSettingsPublisher } from './settings/publish-settings.ts';
import { doWhenDue } from './sweeps/periodic-work.ts';
import { purgeOutbox } from './sweeps/purge-outbox.ts';
import { sweepCaches, sweepWork } from './sweeps/sweep-storage.ts';

/** Interval at which a process checks whether a sweep is due. */
const SWEEP_CHECK_MS = 10 * 60_000;
const SWEEPS = { everySeconds: 3_600, leaseSeconds: 3_600 };

export interface ClusterFeature extends Feature {
  wakeDispatcher(): void;
}

/** Rejects callers who must change a one-time password first. */
const authenticateLive =
  (authenticate: Authenticate): Authenticate =>
  async (token) => {
    const caller = await authenticate(token);
    return caller?.mustChangePassword ? undefined : caller;
  };

/** Tests pass `kube`. Otherwise it is created from the settings when the feature starts. */
export function createCluster(deps: Deps, kube?: KubeClient): ClusterFeature {
  const { backgroundDb: db, config, log, now } = deps;
  const listener = createListener(config.databaseUrl, log);
  const live = createLive({ authenticate: authenticateLive(deps.authenticate), config, log }, listener);
  let client = kube;
  let wake: () => void = () => {};
  let healthy: () => boolean = () => true;
  const running: Promise<unknown>[] = [];

  return {
    name: 'cluster',
    wakeDispatcher: () => wake(),
    upgrade: live.upgrade,
    start: async (signal) => {
      client ??= await connect(config);
      if (client) {
        const carrier = { db, kube: client, storageDir: config.storageDir };
        const dispatcher = createDispatcher({
          ...carrier,
          log,
          now,
          onFailed: (trx, intent, message) => failTask(trx, intent, message, now()),
          onChangedElsewhere: async (kind, object) => mirror.compareAgain(kind, object),
        });
        const ingest = createIngest({
          db,
          storageDir: config.storageDir,
          now,
          log,
          onFailure: () => measured.ingestFailures.inc(),
        });
        const mirror = createMirror({ ...carrier, log, now, onTask: ingest.wake });
        const measured = measureTraffic(deps, mirror.lagMs);
        const sweeps: [string, () => Promise<unknown>][] = [
          ['outbox', () => purgeOutbox(db, now())],
          ['workers', () => pruneWorkers(db, now())],
          ['work-folders', () => sweepWork(db, config.storageDir, now())],
          ['kept-results', () => sweepCaches(config.storageDir, now())],
        ];
        const publisher = createSettingsPublisher({ db, kube: client, settings: deps.settings, log });
        const sweepLoop = createLoop({
          name: 'sweeps',
          log,
          pollMs: SWEEP_CHECK_MS,
          work: async () => {
            for (const [name, work] of sweeps) await doWhenDue(db, { name, ...SWEEPS, work });
            return undefined;
          },
        });
        wake = dispatcher.wake;
        healthy = mirror.healthy;
        listener.on(OUTBOX_CHANNEL, dispatcher.wake);
        listener.on(INGEST_CHANNEL, ingest.wake);
        running.push(
          dispatcher.run(signal),
          ingest.run(signal),
          mirror.run(signal),
          sweepLoop.run(signal),
          publisher.run(signal),
        );
        listener.on(SETTINGS_CHANNEL, publisher.wake);
      }
      running.push(listener.run(signal), live.run(signal));
    },
    stop: async () => {
      await Promise.allSettled(running);
      if (!kube) await client?.close();
    },
    ready: async () => (healthy() ? undefined : 'the Kubernetes API cannot be followed'),
  };
}

async function connect(config: Deps['config']): Promise<KubeClient | undefined> {
  const env: Record<string, string | undefined> = {
    ...process.env,
    ...(config.kubeconfig && { KUBECONFIG: config.kubeconfig }),
  };
  if (!env['KUBECONFIG'] && !env['KUBERNETES_SERVICE_HOST']) return undefined;
  return new KubeClient(await loadKubeAccess(env), { namespace: config.namespace, userAgent: 'seqpanel-api' });
}

/** Fails the task of a launch that the cluster refused, with the cluster's message. */
async function failTask(trx: Knex.Transaction, intent: Intent, message: string, now: Date): Promise<void> {
  if (intent.type !== 'launch') return;
  const reason = formatMessage('dispatch_refused', { reason: message });
  const [row] = await trx('task')
    .where({ id: intent.task })
    .whereIn('status', OPEN_STATUSES)
    .update({ status: 'failed', finished: now, reason })
    .returning('group_id');
  if (row) await notifyTask(trx, { task: intent.task, group: row.group_id });
}
