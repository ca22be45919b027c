/** States of a task as api and console name them. */

/** The task may still change. */
export const OPEN_STATUSES = ['queued', 'starting', 'running'] as const;
export const ENDED_STATUSES = ['completed', 'aborted', 'failed'] as const;
/** In the order of a task's life. */
export const TASK_STATUSES = [...OPEN_STATUSES, ...ENDED_STATUSES] as const;

export type OpenStatus = (typeof OPEN_STATUSES)[number];
export type EndedStatus = (typeof ENDED_STATUSES)[number];
export type TaskStatus = OpenStatus | EndedStatus;

export const isOpen = (status: string): status is OpenStatus => (OPEN_STATUSES as readonly string[]).includes(status);
export const isEnded = (status: string): status is EndedStatus =>
  (ENDED_STATUSES as readonly string[]).includes(status);
