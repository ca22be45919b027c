/** Reconciles Pipelines: applying one installs it, and the condition Valid reports whether it can run. Needs no Job. */

import type { ImageRules } from '@seqpanel/crds/images.ts';
import type { Pipeline } from '@seqpanel/crds/kinds.ts';
import type { KubeClient } from '@seqpanel/crds/kube/client.ts';
import { PIPELINES, type Stored } from '@seqpanel/crds/kube/objects.ts';
import type { Store } from '@seqpanel/crds/kube/store.ts';
import { findCondition, withCondition } from '../kube/conditions.ts';
import type { EventRecorder } from '../kube/events.ts';
import type { WorkResult } from '../kube/queue.ts';
import { writeStatus } from '../kube/write-status.ts';
import { checkPipeline } from './rules.ts';

export interface PipelineReconcilerOptions {
  client: KubeClient;
  pipelines: Store<Stored<Pipeline>>;
  events: EventRecorder;
  images: ImageRules;
  now: () => number;
}

export class PipelineReconciler {
  readonly #options: PipelineReconcilerOptions;

  constructor(options: PipelineReconcilerOptions) {
    this.#options = options;
  }

  async reconcile(key: string, signal: AbortSignal): Promise<WorkResult> {
    const { client, pipelines, events, images, now } = this.#options;
    const pipeline = pipelines.get(key);
    if (!pipeline || pipeline.metadata.deletionTimestamp) return {};
    const { generation } = pipeline.metadata;
    const problem = checkPipeline(pipeline, images);
    const valid = problem
      ? { status: 'False' as const, ...problem }
      : { status: 'True' as const, reason: 'Checked', message: 'All steps can run.' };
    const message = `Version ${pipeline.spec.version} is installed.`;
    const installed = { type: 'Installed', status: 'True' as const, reason: 'Installed', message };
    const before = pipeline.status?.conditions;
    const conditions = withCondition(
      withCondition(before, installed, now(), generation),
      { type: 'Valid', ...valid },
      now(),
      generation,
    );
    const status = { ...(generation !== undefined && { observedGeneration: generation }), conditions };
    const stored = await writeStatus(client, PIPELINES, pipeline, status, signal);
    if (stored && findCondition(before, 'Valid')?.status !== valid.status)
      events.record(stored, {
        type: problem ? 'Warning' : 'Normal',
        reason: problem ? valid.reason : 'Installed',
        message: problem ? valid.message : message,
      });
    return {};
  }
}
