import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { gigabytes } from '../../components/format.ts';
import { useNotify } from '../../hooks/use-notify.ts';
import type { GroupStorage, ProjectFile } from '../../queries/projects.ts';
import { checkFiles } from '../../uploads/check-files.ts';
import type { UploadItem } from '../../uploads/upload-item.ts';
import { uploads } from '../../uploads/uploads.ts';

/** Rejected file and the reason. */
export interface RefusedFile {
  file: string;
  text: string;
}

interface ChooseInput {
  target: { group: string; project: string; projectName: string };
  files: ProjectFile[] | undefined;
  storage: GroupStorage | undefined;
  queue: UploadItem[];
}

/** Returns the bytes that group and user may still store, less the queued bytes. Null = no limit. */
export function bytesFree(storage: GroupStorage, queue: readonly UploadItem[]): number | null {
  const limits = [
    storage.limit === null ? undefined : storage.limit - storage.used,
    storage.user_limit === null ? undefined : storage.user_limit - storage.user_used,
  ].filter((free) => free !== undefined);
  if (limits.length === 0) return null;
  const reserved = queue
    .filter(({ status }) => status === 'queued' || status === 'uploading' || status === 'paused')
    .reduce((sum, { size }) => sum + size, 0);
  return Math.max(0, Math.min(...limits) - reserved);
}

/** Checks chosen files and adds them to the queue; reports the rejected ones (ERR-46 to ERR-48, ERR-52). */
export function useChooseFiles({ target, files, storage, queue }: ChooseInput) {
  const { t } = useTranslation();
  const notify = useNotify();
  const [refused, setRefused] = useState<RefusedFile[]>([]);

  const choose = (chosen: File[]) => {
    if (!storage || !files) return;
    const fresh = uploads.repick(target.project, chosen);
    const decision = checkFiles({
      chosen: fresh,
      inProject: new Set(files.map(({ name }) => name)),
      inQueue: new Set(
        queue.filter(({ status }) => status !== 'canceled' && status !== 'completed').map(({ name }) => name),
      ),
      bytesFree: bytesFree(storage, queue),
      maxFiles: storage.max_files_per_batch,
      maxFileBytes: storage.max_file_bytes,
    });
    const warn = (title: string) => notify.add({ variant: 'warning', title, section: 'uploads' });
    if (decision.tooMany) warn(t('errors.codes.too_many_files', { max: storage.max_files_per_batch }));
    if (decision.repeated.length > 0) warn(t('uploads.repeated_toast', { n: decision.repeated.length }));
    if (decision.exceeded) {
      const { files: over, neededBytes, freeBytes } = decision.exceeded;
      notify.add({
        variant: 'danger',
        title: t('uploads.exceeded_toast', { count: over.length }),
        body: t('uploads.exceeded_body', { needed: gigabytes(neededBytes), free: gigabytes(freeBytes) }),
        section: 'uploads',
      });
    }
    setRefused(decision.refused.map(({ file, reason }) => ({ file: file.name, text: t(`upload.reasons.${reason}`) })));
    if (decision.accepted.length > 0) uploads.add(target, decision.accepted);
  };
  return { choose, refused };
}
