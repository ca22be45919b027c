/** Why a task cannot start, or cannot go on: checks in order, the first that objects is told. */

import type { AnalysisTaskStatus } from '@seqpanel/crds/kinds.ts';
import { findCondition } from '../kube/conditions.ts';
import { REASON } from './conditions.ts';
import type { Input } from './input.ts';

export interface Refusal {
  reason: string;
  message: string;
  /** Something that may still come is missing: wait for it instead of failing. */
  wait?: true;
}

type Check = (input: Input, status: AnalysisTaskStatus) => Refusal | undefined;

const pipelineMissing: Check = ({ task, pipeline }) =>
  pipeline
    ? undefined
    : { reason: REASON.pipelineMissing, message: `There is no Pipeline ${task.spec.pipeline.name}.`, wait: true };

/** What is asked only before the first step: a task that runs is not stopped by a change of the Pipeline. */
const atStart =
  (check: Check): Check =>
  (input, status) =>
    status.stages ? undefined : check(input, status);

const pipelineDisabled: Check = ({ task, pipeline }) =>
  pipeline?.spec.state === 'Disabled'
    ? { reason: REASON.pipelineDisabled, message: `Pipeline ${task.spec.pipeline.name} is disabled.` }
    : undefined;

const otherVersion: Check = ({ task, pipeline }) =>
  pipeline && pipeline.spec.version !== task.spec.pipeline.version
    ? {
        reason: REASON.pipelineVersion,
        message: `Pipeline ${task.spec.pipeline.name} is version ${pipeline.spec.version}, not ${task.spec.pipeline.version}.`,
      }
    : undefined;

const pipelineInvalid: Check = ({ pipeline }) => {
  const valid = findCondition(pipeline?.status?.conditions, 'Valid');
  return valid?.status === 'False' ? { reason: REASON.pipelineInvalid, message: valid.message } : undefined;
};

const CHECKS: readonly Check[] = [
  pipelineMissing,
  atStart(pipelineDisabled),
  atStart(otherVersion),
  atStart(pipelineInvalid),
];

export function refuse(input: Input, status: AnalysisTaskStatus): Refusal | undefined {
  for (const check of CHECKS) {
    const refusal = check(input, status);
    if (refusal) return refusal;
  }
  return undefined;
}
