import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useNotify } from '../hooks/use-notify.ts';
import { useSession } from '../hooks/use-session.ts';
import { projectKeys } from '../queries/projects.ts';
import { uploads } from './uploads.ts';

/** Refreshes lists after an upload, reports failures and warns before the tab is closed. */
export function useUploadWatch(): void {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const notify = useNotify();
  const user = useSession()?.username ?? '';

  useEffect(() => uploads.openFor(user), [user]);

  useEffect(
    () =>
      uploads.onSettled((item) => {
        void queries.invalidateQueries({ queryKey: projectKeys.all(item.group) });
        const link = { to: `/tools/projects/${item.project}/upload`, text: item.projectName };
        if (item.status === 'failed') {
          // The upload page shows the failure in its row, so it needs no toast.
          const toast = window.location.pathname !== link.to;
          notify.error(t('uploads.failed_toast', { file: item.name }), {
            section: 'uploads',
            id: item.id,
            link,
            toast,
          })(item.error);
        }
        const open = uploads.get().items.filter(({ status }) => status === 'queued' || status === 'uploading');
        const done = uploads.get().items.filter(({ status }) => status === 'completed').length;
        if (open.length === 0 && item.status === 'completed') {
          notify.success(t('uploads.done_toast', { count: done }), { section: 'uploads', link });
        }
      }),
    [queries, notify, t],
  );

  useEffect(() => {
    const warn = (event: BeforeUnloadEvent) => {
      if (uploads.get().items.some(({ status }) => status === 'uploading' || status === 'queued'))
        event.preventDefault();
    };
    // Running uploads stop when the page closes and can be resumed later.
    window.addEventListener('beforeunload', warn);
    return () => window.removeEventListener('beforeunload', warn);
  }, []);

  // Pauses all uploads while offline and resumes them when the connection is back.
  useEffect(() => {
    let waiting: string[] = [];
    const offline = () => {
      waiting = uploads
        .get()
        .items.filter(({ status }) => status === 'uploading')
        .map(({ id }) => id);
      for (const id of waiting) uploads.pause(id);
      if (waiting.length > 0) {
        notify.add({ variant: 'warning', title: t('uploads.paused_toast'), section: 'uploads', id: 'uploads-paused' });
      }
    };
    const online = () => {
      for (const id of waiting) uploads.resume(id);
      waiting = [];
    };
    window.addEventListener('offline', offline);
    window.addEventListener('online', online);
    return () => {
      window.removeEventListener('offline', offline);
      window.removeEventListener('online', online);
    };
  }, [notify, t]);
}
