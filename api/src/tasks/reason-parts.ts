/** Finds the code and the values of a task's stored reason. Pure. */

import type { AnalysisTaskStatus } from '@seqpanel/crds/kinds.ts';
import { MESSAGES } from '@seqpanel/crds/messages.ts';
import { reasonLine, type TaskReason, taskReason } from '@seqpanel/crds/task-reasons.ts';

/** Messages that the api itself stores as the reason. */
const OWN = ['dispatch_refused', 'ingest_failed'] as const;
/** The reason that the api stores for a task whose resource was deleted. */
export const RESOURCE_DELETED = 'ResourceDeleted';

/** `status`: the mirrored status of an open or failed task, or null. */
export function reasonParts(line: string | null, status: AnalysisTaskStatus | null): TaskReason | null {
  if (line === null) return null;
  const found = status ? taskReason(status) : undefined;
  if (found && reasonLine(found) === line) return found;
  const nowhere = { step: null, sample: null };
  if (line === RESOURCE_DELETED) return { code: 'resource_deleted', ...nowhere, message: MESSAGES.resource_deleted };
  for (const code of OWN) {
    const start = MESSAGES[code].replace('{reason}', '');
    if (line.startsWith(start)) return { code, ...nowhere, message: line.slice(start.length) };
  }
  return null;
}
