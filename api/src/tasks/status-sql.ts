/** Lists of task states as SQL text, because with bound values the planner cannot use a partial index. */

import { ENDED_STATUSES, OPEN_STATUSES, TASK_STATUSES } from '@seqpanel/crds/task-status.ts';

const quoted = (statuses: readonly string[]): string => statuses.map((status) => `'${status}'`).join(', ');

export const OPEN_SQL = `(${quoted(OPEN_STATUSES)})`;
export const ENDED_SQL = `(${quoted(ENDED_STATUSES)})`;
export const STATUS_ORDER_SQL = `ARRAY[${quoted(TASK_STATUSES)}]`;
