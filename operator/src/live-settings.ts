/**
 * The settings that change while the operator runs: those of its environment, overlaid by the ConfigMap that the api
 * writes. Content that cannot be used is reported, and the last good settings stay.
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
import type { Limits } from './admission/plan.ts';
import type { TaskSettings } from './analysistask/input.ts';
import type { EventRecorder } from './kube/events.ts';
import { sameJson } from './kube/same-json.ts';

/** The ConfigMap as it is watched. */
export const SETTINGS_SELECTOR = `metadata.name=${OPERATOR_SETTINGS_NAME}`;
const DAY_MS = 24 * 3600 * 1000;

export interface LiveSettingsOptions {
  tasks: TaskSettings;
  limits: Limits;
  log: Logger;
  events: () => EventRecorder;
  /** Called after the settings have changed. */
  onChange: () => void;
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
    // With Kueue its quotas limit the pods.
    return { ...limits, ...given, ...(tasks.job.kueue && { groupPods: 0, totalPods: 0 }) };
  };

  /** Takes over a change of the ConfigMap. */
  follow({ type, object }: Change<Stored<ConfigMap>>): void {
    if (type === 'synced' || object.metadata.name !== OPERATOR_SETTINGS_NAME) return;
    const { log, events, onChange } = this.#options;
    let next: OperatorSettings;
    try {
      next = type === 'deleted' ? {} : decodeOperatorSettings(object.data);
    } catch (error) {
      const message = `The settings cannot be used, the last good ones stay: ${(error as Error).message}`;
      log.warn({ err: error }, 'settings cannot be used, keeping the last good ones');
      const about = { ...object, apiVersion: 'v1', kind: 'ConfigMap' };
      events().record(about, { type: 'Warning', reason: 'SettingsInvalid', message });
      return;
    }
    if (sameJson(next, this.#given)) return;
    this.#given = next;
    log.info({ settings: next }, 'settings changed');
    onChange();
  }
}
