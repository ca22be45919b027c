/** File being uploaded to a project, and the transfer that sends it. */

import type { FileType } from '@seqpanel/crds/file-types.ts';
import type { UploadStatus } from '../components/status-label.tsx';

/** One file being uploaded to a project. `sent`, `size` in bytes; `speed` in bytes per second. */
export interface UploadItem {
  id: string;
  group: string;
  project: string;
  projectName: string;
  name: string;
  size: number;
  lastModified: number;
  type: FileType;
  status: UploadStatus;
  sent: number;
  speed: number;
  /** Number of files that were selected together, which the api limits. */
  batch: number;
  /** True after a reload: the browser gives access to the content only after the file was selected again. */
  needsFile: boolean;
  error?: unknown;
}

/** A running transfer. */
export interface Transfer {
  /** Stops and keeps the stored bytes. */
  pause: () => void;
  /** Stops and deletes the stored bytes. */
  cancel: () => void;
}

export interface TransferEvents {
  onProgress: (sent: number) => void;
  onDone: () => void;
  onError: (error: unknown) => void;
}

export type StartTransfer = (item: UploadItem, file: File, events: TransferEvents) => Transfer;
