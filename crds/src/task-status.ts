/** States of a task in api and console. */

/** States in which the task may still change. */
export const OPEN_STATUSES = ['queued', 'starting', 'running'] as const;
export const ENDED_STATUSES = ['completed', 'aborted', 'failed'] as const;
/** All states, in the order in which a task has them. */
export const TASK_STATUSES = [...OPEN_STATUSES, ...ENDED_STATUSES] as const;

export type OpenStatus = (typeof OPEN_STATUSES)[number];
export type EndedStatus = (typeof ENDED_STATUSES)[number];
export type TaskStatus = OpenStatus | EndedStatus;

export const isOpen = (status: string): status is OpenStatus => (OPEN_STATUSES as readonly string[]).includes(status);
export const isEnded = (status: string): status is EndedStatus =>
  (ENDED_STATUSES as readonly string[]).includes(status);
