import { useQueryClient } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { live } from '../api/live-socket.ts';
import { reasonText } from '../components/reason-text.ts';
import type { NewNotification } from '../hooks/notifications.ts';
import { useNotify } from '../hooks/use-notify.ts';
import { useSession } from '../hooks/use-session.ts';
import { isPartlyFailed } from '../queries/sample-counts.ts';
import { isUnfinished, type TaskRow, taskQuery } from '../queries/tasks.ts';

const VARIANT = { completed: 'success', partly: 'warning', failed: 'danger', aborted: 'info' } as const;
type End = keyof typeof VARIANT;
const isEnd = (status: string): status is End => status in VARIANT;

type EndedTask = Pick<TaskRow, 'id' | 'name' | 'status' | 'samples' | 'qc' | 'reason' | 'reason_of'>;

/** Returns the notification about an ended task; undefined while it runs. */
export function endNotification(
  t: TFunction,
  language: string,
  task: EndedTask,
  group: string,
): NewNotification | undefined {
  const end = isPartlyFailed(task) ? 'partly' : task.status;
  if (!isEnd(end)) return undefined;
  const { failed, total } = task.samples;
  const reason = reasonText(t, language, task);
  return {
    id: `task-${task.id}`,
    section: 'tasks',
    variant: VARIANT[end],
    title: t(`tasks.ended.${end}`, { name: task.name, failed, total }),
    ...(end === 'failed' && reason ? { body: reason } : {}),
    link: { to: `/secondary-analysis/tasks/${task.id}?group=${group}`, text: t('tasks.open') },
  };
}

/** Notifies the user of each own task that ends while the console is open. */
export function useTaskWatch(): void {
  const { t, i18n } = useTranslation();
  const client = useQueryClient();
  const notify = useNotify();
  const user = useSession()?.username;
  // Tasks that are not fetched again: those of others, and ended ones.
  const settled = useRef(new Set<string>());
  useEffect(() => {
    const since = Date.now();
    return live.listen(async ({ type, task: id, group }) => {
      if (type !== 'task' || typeof id !== 'string' || typeof group !== 'string' || settled.current.has(id)) return;
      const task = await client.fetchQuery({ ...taskQuery(group, id), staleTime: 0 }).catch(() => undefined);
      if (!task || settled.current.has(id)) return;
      if (task.user !== user) settled.current.add(id);
      else if (!isUnfinished(task.status)) {
        settled.current.add(id);
        const notification = endNotification(t, i18n.language, task, group);
        const isNew = task.finished !== null && new Date(task.finished).getTime() >= since - CLOCKS_MS;
        if (notification && isNew) notify.add(notification);
      }
    });
  }, [client, notify, t, i18n.language, user]);
}

/** Time by which the browser's clock may be ahead of the server's. */
const CLOCKS_MS = 60_000;
