/** Stores a user's unfinished uploads in the browser for after a reload, without the content of the files. */

import type { UploadStatus } from '../components/status-label.tsx';
import type { UploadItem } from './upload-item.ts';

/** Statuses to resume after a reload; a failed upload was already reported. */
const REMEMBERED: ReadonlySet<UploadStatus> = new Set(['queued', 'uploading', 'paused']);

const keyOf = (owner: string): string => `seqpanel.uploads.${owner}`;

export function rememberUploads(storage: Storage, owner: string, items: readonly UploadItem[]): void {
  const open = items.filter((item) => REMEMBERED.has(item.status));
  storage.setItem(keyOf(owner), JSON.stringify(open.map(({ error: _error, ...item }) => item)));
}

/** Restores them paused, until the user selects their files again. */
export function restoreUploads(storage: Storage, owner: string): UploadItem[] {
  try {
    const items = JSON.parse(storage.getItem(keyOf(owner)) ?? '[]') as UploadItem[];
    return items.map((item) => ({ ...item, status: 'paused', needsFile: true, speed: 0 }));
  } catch {
    return [];
  }
}
