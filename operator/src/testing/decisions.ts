/** For tests only: reads values from a decision. */

import type { StepStatus } from '@seqpanel/crds/kinds.ts';
import type { TaskSpec } from '@seqpanel/crds/step-contract.ts';
import type { Decision } from '../analysistask/input.ts';
import { findCondition } from '../kube/conditions.ts';

export const stepOf = ({ status }: Decision, name: string): StepStatus | undefined =>
  status.stages?.flatMap(({ steps }) => steps ?? []).find((step) => step.name === name);

export const createdJob = ({ before }: Decision) =>
  before.flatMap((action) => (action.do === 'createJob' ? [action.object] : []))[0];
export const createdSpec = ({ before }: Decision): TaskSpec | undefined =>
  before.flatMap((a) =>
    a.do === 'createConfigMap' ? [JSON.parse(a.object.data?.['task.json'] ?? '') as TaskSpec] : [],
  )[0];
export const envOf = (decision: Decision, name: string) =>
  createdJob(decision)?.spec?.template.spec.containers[0]?.env?.find((entry) => entry.name === name)?.value;
export const did = ({ after }: Decision): string[] =>
  after.map((action) => ('job' in action ? `${action.do} ${action.job.name}` : action.do));
export const condition = ({ status }: Decision, type: string) => findCondition(status.conditions, type);
