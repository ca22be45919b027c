/** What a browser remembers of a user's uploads for after a reload; the content of the files is not among it. */

import type { UploadStatus } from '../components/status-label.tsx';
import type { UploadItem } from './upload-item.ts';

/** What goes on after a reload; a failed upload has been told. */
const REMEMBERED: ReadonlySet<UploadStatus> = new Set(['queued', 'uploading', 'paused']);

const keyOf = (owner: string): string => `seqpanel.uploads.${owner}`;

export function rememberUploads(storage: Storage, owner: string, items: readonly UploadItem[]): void {
  const open = items.filter((item) => REMEMBERED.has(item.status));
  storage.setItem(keyOf(owner), JSON.stringify(open.map(({ error: _error, ...item }) => item)));
}

/** Paused, until their files are picked again. */
export function restoreUploads(storage: Storage, owner: string): UploadItem[] {
  try {
    const items = JSON.parse(storage.getItem(keyOf(owner)) ?? '[]') as UploadItem[];
    return items.map((item) => ({ ...item, status: 'paused', needsFile: true, speed: 0 }));
  } catch {
    return [];
  }
}
