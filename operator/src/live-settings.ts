/**
 * The settings that change while the operator runs: the environment's values, overlaid by the ConfigMap that the api
 * writes. Invalid content is reported and the last valid settings stay in effect.
 */

import type { ConfigMap } from '@seqpanel/crds/kube/core-types.ts';
import type { Stored } from '@seqpanel/crds/kube/objects.ts';
import type { Change } from '@seqpanel/crds/kube/reflector.ts';
import {
  decodeOperatorSettings,
  OPERATOR_SETTINGS_NAME,
  type OperatorSettings,
} from '@seqpanel/crds/operator-settings.ts';
import type { Logger } from 'pino';
import type { Limits } from './admission/admission-plan.ts';
import type { TaskSettings } from './analysistask/input.ts';
import type { EventRecorder } from './kube/events.ts';
import { sameJson } from './kube/same-json.ts';

/** Field selector of the settings ConfigMap. */
export const SETTINGS_SELECTOR = `metadata.name=${OPERATOR_SETTINGS_NAME}`;
const DAY_MS = 24 * 3600 * 1000;

export interface LiveSettingsOptions {
  tasks: TaskSettings;
  limits: Limits;
  log: Logger;
  events: EventRecorder;
}

export class LiveSettings {
  readonly #options: LiveSettingsOptions;
  #given: OperatorSettings = {};

  constructor(options: LiveSettingsOptions) {
    this.#options = options;
  }

  tasks = (): TaskSettings => {
    const { tasks } = this.#options;
    const { finishedTaskDays } = this.#given;
    return finishedTaskDays === undefined ? tasks : { ...tasks, retentionMs: finishedTaskDays * DAY_MS };
  };

  limits = (): Limits => {
    const { limits, tasks } = this.#options;
    const { finishedTaskDays: _, ...given } = this.#given;
    // With Kueue, Kueue's quotas limit the pods.
    return { ...limits, ...given, ...(tasks.job.kueue && { groupPods: 0, totalPods: 0 }) };
  };

  /** Applies a change of the ConfigMap; returns true when the settings have changed. */
  follow({ type, object }: Change<Stored<ConfigMap>>): boolean {
    if (type === 'synced' || object.metadata.name !== OPERATOR_SETTINGS_NAME) return false;
    const { log, events } = this.#options;
    let next: OperatorSettings;
    try {
      next = type === 'deleted' ? {} : decodeOperatorSettings(object.data);
    } catch (error) {
      const message = `Invalid settings, keeping the last valid ones: ${(error as Error).message}`;
      log.warn({ err: error }, 'invalid settings, keeping the last valid ones');
      const about = { ...object, apiVersion: 'v1', kind: 'ConfigMap' };
      events.record(about, { type: 'Warning', reason: 'SettingsInvalid', message });
      return false;
    }
    if (sameJson(next, this.#given)) return false;
    this.#given = next;
    log.info({ settings: next }, 'settings changed');
    return true;
  }
}
