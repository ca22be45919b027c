import { fileTypeOf } from '@seqpanel/crds/file-types.ts';
import type { UploadStatus } from '../components/status-label.tsx';
import { randomId } from '../random-id.ts';
import { rememberUploads, restoreUploads } from './remembered-uploads.ts';
import type { StartTransfer, Transfer, UploadItem } from './upload-item.ts';
import { UploadSpeeds } from './upload-speed.ts';

export const PARALLEL_UPLOADS = 3;

export interface QueueState {
  items: readonly UploadItem[];
}

const OPEN: ReadonlySet<UploadStatus> = new Set(['queued', 'uploading', 'paused', 'failed']);

/**
 * The uploads of this browser tab. Is outside the router, so that navigation does not stop it. Sends three files at a
 * time, in the order of selection. Stores unfinished uploads for after a reload.
 */
export class UploadQueue {
  /** Sends a file. Tests replace it by a fake. */
  start: StartTransfer;
  readonly #storage: Storage;
  readonly #now: () => number;
  readonly #listeners = new Set<() => void>();
  readonly #doneListeners = new Set<(item: UploadItem) => void>();
  readonly #files = new Map<string, File>();
  readonly #transfers = new Map<string, Transfer>();
  readonly #speeds = new UploadSpeeds();
  #owner = '';
  #state: QueueState = { items: [] };

  constructor(start: StartTransfer, storage: Storage, now: () => number = Date.now) {
    this.start = start;
    this.#storage = storage;
    this.#now = now;
  }

  get = (): QueueState => this.#state;

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** Calls the listener when an upload is complete or has failed. */
  onSettled(listener: (item: UploadItem) => void): () => void {
    this.#doneListeners.add(listener);
    return () => void this.#doneListeners.delete(listener);
  }

  /** Restores this user's unfinished uploads after a reload; stops and drops another user's uploads. */
  openFor(owner: string): void {
    if (owner === this.#owner) return;
    for (const transfer of this.#transfers.values()) transfer.pause();
    this.#transfers.clear();
    this.#files.clear();
    this.#owner = owner;
    this.#set(owner ? restoreUploads(this.#storage, owner) : []);
  }

  add(target: { group: string; project: string; projectName: string }, files: readonly File[]): void {
    const items = files.map((file): UploadItem => {
      const id = randomId();
      this.#files.set(id, file);
      return {
        ...target,
        id,
        name: file.name,
        size: file.size,
        lastModified: file.lastModified,
        type: fileTypeOf(file.name) ?? 'fastq',
        status: 'queued',
        sent: 0,
        speed: 0,
        batch: files.length,
        needsFile: false,
      };
    });
    this.#set([...this.#state.items, ...items]);
    this.#fill();
  }

  /** Assigns selected files to the items that wait for them. Returns the other files. */
  repick(project: string, files: readonly File[]): File[] {
    const rest: File[] = [];
    for (const file of files) {
      const item = this.#state.items.find(
        (each) =>
          each.needsFile &&
          each.project === project &&
          each.name === file.name &&
          each.size === file.size &&
          each.lastModified === file.lastModified,
      );
      if (!item) {
        rest.push(file);
        continue;
      }
      this.#files.set(item.id, file);
      this.#change(item.id, { needsFile: false, status: 'queued' });
    }
    this.#fill();
    return rest;
  }

  pause(id: string): void {
    const item = this.#find(id);
    if (item?.status !== 'uploading' && item?.status !== 'queued') return;
    this.#transfers.get(id)?.pause();
    this.#transfers.delete(id);
    this.#change(id, { status: 'paused', speed: 0 });
    this.#fill();
  }

  resume(id: string): void {
    const item = this.#find(id);
    if (item?.status !== 'paused' || item.needsFile) return;
    this.#change(id, { status: 'queued' });
    this.#fill();
  }

  /** Uploads a failed or canceled file again. */
  retry(id: string): void {
    const item = this.#find(id);
    if ((item?.status !== 'failed' && item?.status !== 'canceled') || !this.#files.has(id)) return;
    this.#change(id, { status: 'queued', error: undefined, ...(item.status === 'canceled' ? { sent: 0 } : {}) });
    this.#fill();
  }

  cancel(id: string): void {
    const item = this.#find(id);
    if (!item || !OPEN.has(item.status)) return;
    const transfer = this.#transfers.get(id);
    const file = this.#files.get(id);
    this.#transfers.delete(id);
    if (transfer) transfer.cancel();
    else if (item.sent > 0 && file) this.start(item, file, { onProgress() {}, onDone() {}, onError() {} }).cancel();
    this.#change(id, { status: 'canceled', speed: 0 });
    this.#fill();
  }

  /** Removes a settled item from the list. */
  remove(id: string): void {
    const item = this.#find(id);
    if (!item || (OPEN.has(item.status) && item.status !== 'failed')) return;
    this.#files.delete(id);
    this.#set(this.#state.items.filter((each) => each.id !== id));
  }

  /** Applies an action to all items of a project that allow it. */
  all(action: 'pause' | 'resume' | 'cancel' | 'retry', project?: string): void {
    for (const item of this.#state.items) if (project === undefined || item.project === project) this[action](item.id);
  }

  #fill(): void {
    let free = PARALLEL_UPLOADS - this.#transfers.size;
    for (const item of this.#state.items) {
      if (free <= 0) return;
      const file = this.#files.get(item.id);
      if (item.status !== 'queued' || !file) continue;
      free--;
      this.#run(item, file);
    }
  }

  #run(item: UploadItem, file: File): void {
    const { id } = item;
    const isMine = () => this.#transfers.get(id) === transfer;
    this.#change(id, { status: 'uploading', error: undefined });
    this.#speeds.begin(id);
    const transfer = this.start({ ...item, status: 'uploading' }, file, {
      onProgress: (sent) => {
        if (isMine()) this.#change(id, { sent, speed: this.#speeds.speed(id, sent, this.#now()) });
      },
      onDone: () => {
        if (isMine()) this.#settle(id, { status: 'completed', sent: item.size, speed: 0 });
      },
      onError: (error) => {
        if (isMine()) this.#settle(id, { status: 'failed', speed: 0, error });
      },
    });
    this.#transfers.set(id, transfer);
  }

  #settle(id: string, part: Partial<UploadItem>): void {
    this.#transfers.delete(id);
    this.#change(id, part);
    const item = this.#find(id);
    if (item?.status === 'completed') this.#files.delete(id);
    if (item) for (const listener of this.#doneListeners) listener(item);
    this.#fill();
  }

  #find(id: string): UploadItem | undefined {
    return this.#state.items.find((item) => item.id === id);
  }

  #change(id: string, part: Partial<UploadItem>): void {
    this.#set(this.#state.items.map((item) => (item.id === id ? { ...item, ...part } : item)));
  }

  #set(items: readonly UploadItem[]): void {
    const hasChanged =
      this.#state.items.length !== items.length ||
      items.some((item, i) => item.status !== this.#state.items[i]?.status);
    this.#state = { items };
    if (hasChanged && this.#owner) rememberUploads(this.#storage, this.#owner, items);
    for (const listener of this.#listeners) listener();
  }
}
