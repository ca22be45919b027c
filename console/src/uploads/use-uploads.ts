import { useSyncExternalStore } from 'react';
import type { QueueState } from './upload-queue.ts';
import { uploads } from './uploads.ts';

/** The upload queue of this tab. */
export function useUploads(): QueueState {
  return useSyncExternalStore(uploads.subscribe, uploads.get);
}
