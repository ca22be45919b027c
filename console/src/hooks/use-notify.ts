import { useMemo, useSyncExternalStore } from 'react';
import { type NewNotification, type Notification, notifications } from './notifications.ts';
import { useErrorText } from './use-error-text.ts';

/** The notifications of this tab, newest first. */
export function useNotifications(): readonly Notification[] {
  return useSyncExternalStore(notifications.subscribe, notifications.get);
}

/**
 * Reports the result of an action after its dialog has closed.
 *
 * @example const notify = useNotify(); useMutation({ ..., onError: notify.error(t('projects.delete_failed')) });
 */
export function useNotify() {
  const describe = useErrorText();
  return useMemo(
    () => ({
      add: (notification: NewNotification) => notifications.add(notification),
      success: (title: string, more: Partial<Notification> = {}) =>
        notifications.add({ variant: 'success', title, ...more }),
      /** Returns an error handler that shows the title and the error's own text. */
      error:
        (title: string, more: Partial<Notification> = {}) =>
        (error: unknown) => {
          const { message, id } = describe(error);
          notifications.add({ variant: 'danger', title, body: message, ...(id ? { errorId: id } : {}), ...more });
        },
    }),
    [describe],
  );
}
