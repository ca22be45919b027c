import type { StartTransfer, Transfer } from './upload-item.ts';
import { UploadQueue } from './upload-queue.ts';

/** Loads tus with the first upload, because every page contains the queue. */
const startLazily: StartTransfer = (item, file, events) => {
  let transfer: Transfer | undefined;
  let stopped: 'pause' | 'cancel' | undefined;
  void import('./tus-transfer.ts').then(
    ({ startTusTransfer }) => {
      if (stopped === 'pause') return;
      transfer = startTusTransfer(item, file, events);
      if (stopped === 'cancel') transfer.cancel();
    },
    (error: unknown) => events.onError(error),
  );
  const stop = (how: 'pause' | 'cancel') => {
    stopped = how;
    transfer?.[how]();
  };
  return { pause: () => stop('pause'), cancel: () => stop('cancel') };
};

/** The uploads of this tab. */
export const uploads = new UploadQueue(startLazily, window.localStorage);
