/** tus data store: writes bytes to the hidden file, whose size is the offset, and computes SHA-256 on the way. */
import { createHash, type Hash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { DataStore, ERRORS, Upload } from '@tus/server';
import type { Knex } from 'knex';
import { AppError } from '../errors.ts';
import { createFile, makeFolder } from '../storage/change-storage.ts';
import { isMissing, openToWrite, statEntry } from '../storage/inside-storage.ts';
import { fits, readStorageUse } from '../storage/storage-use.ts';
import { dropUpload, pathsOf, readUpload, type UploadRow } from './upload-rows.ts';

/** Socket chunks (64 KiB) are collected to this size for one write. */
const WRITE_BYTES = 1024 * 1024;
/** Interval in bytes at which the quota is checked again, because it may have been lowered. */
const QUOTA_CHECK_BYTES = 64 * 1024 * 1024;
/** Maximum hashes kept for running uploads. Others are hashed at the end. */
const MAX_RUNNING_HASHES = 200;

/** Hash of the first `offset` bytes of an upload. */
class RunningHash {
  readonly hash: Hash = createHash('sha256');
  offset = 0;

  update(chunk: Buffer): void {
    this.hash.update(chunk);
    this.offset += chunk.length;
  }
}

export class UploadStore extends DataStore {
  readonly #db: Knex;
  readonly #storageDir: string;
  readonly #hashes = new Map<string, RunningHash>();

  constructor(db: Knex, storageDir: string) {
    super();
    this.#db = db;
    this.#storageDir = storageDir;
    this.extensions = ['creation', 'creation-with-upload', 'termination'];
  }

  /** Creates the empty file. create-upload.ts has already created the row. */
  override async create(upload: Upload): Promise<Upload> {
    const paths = pathsOf(this.#storageDir, await this.#row(upload.id));
    await makeFolder(paths.folder);
    await (await createFile(paths.temporary, 0o640)).close();
    return upload;
  }

  override async getUpload(id: string): Promise<Upload> {
    const row = await this.#row(id);
    const offset = row.file_id ? row.size : await this.#storedBytes(row);
    return new Upload({ id, size: row.size, offset, metadata: { filename: row.name, project: row.project_id } });
  }

  /** Used only for creations that include bytes (creation-with-upload). */
  override async write(readable: Readable, id: string, offset: number): Promise<number> {
    return await this.receive(readable, await this.#row(id), offset, new AbortController().signal);
  }

  /**
   * Appends the source to the file and returns the new offset. If the source breaks or the signal aborts, this is the
   * offset of the stored bytes. Throws AppError and drops the upload when the quota is exceeded.
   */
  async receive(source: Readable, row: UploadRow, offset: number, signal: AbortSignal): Promise<number> {
    if (row.file_id) throw ERRORS.FILE_NO_LONGER_EXISTS;
    await this.#db('upload').where({ id: row.id }).update({ touched: this.#db.fn.now() });
    const running = this.#resumeHash(row.id, offset);
    const file = await openToWrite(pathsOf(this.#storageDir, row).temporary);
    const stop = (): void => void source.destroy();
    signal.addEventListener('abort', stop, { once: true });
    let position = offset;
    let checkAt = offset; // now, then every QUOTA_CHECK_BYTES
    const pending: Buffer[] = [];
    let pendingBytes = 0;
    const flush = async (): Promise<void> => {
      if (pendingBytes === 0) return;
      await writeAll(file, pending, position);
      position += pendingBytes;
      pending.length = 0;
      pendingBytes = 0;
    };
    try {
      // Keeps the source open when the loop ends, because the answer must still reach the client.
      for await (const chunk of source.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        if (position + pendingBytes + chunk.length > row.size) throw new AppError(413, 'upload_too_long');
        running?.update(chunk);
        pending.push(chunk);
        pendingBytes += chunk.length;
        if (pendingBytes < WRITE_BYTES) continue;
        if (position >= checkAt) {
          await this.#checkQuota(row);
          checkAt = position + QUOTA_CHECK_BYTES;
        }
        await flush();
      }
      await this.#checkQuota(row);
      await flush();
    } catch (error) {
      if (error instanceof AppError) {
        this.#hashes.delete(row.id);
        if (error.code === 'storage_exceeded') await dropUpload(this.#db, this.#storageDir, row);
        throw error;
      }
      if (!isBroken(error)) throw error;
      await flush(); // the connection broke, keeps the bytes before that
    } finally {
      signal.removeEventListener('abort', stop);
      await file.close();
    }
    return position;
  }

  override async remove(id: string): Promise<void> {
    const row = await this.#row(id);
    if (row.file_id) throw ERRORS.FILE_NO_LONGER_EXISTS;
    this.#hashes.delete(id);
    await dropUpload(this.#db, this.#storageDir, row);
  }

  /** Returns the SHA-256 of a complete upload as hex if all its bytes passed through this process in order. */
  takeHash(id: string, size: number): string | undefined {
    const running = this.#hashes.get(id);
    this.#hashes.delete(id);
    return running?.offset === size ? running.hash.digest('hex') : undefined;
  }

  async #row(id: string): Promise<UploadRow> {
    const row = await readUpload(this.#db, id);
    if (!row) throw ERRORS.FILE_NOT_FOUND;
    return row;
  }

  async #storedBytes(row: UploadRow): Promise<number> {
    try {
      return (await statEntry(pathsOf(this.#storageDir, row).temporary)).size;
    } catch (error) {
      if (!isMissing(error)) throw error;
      throw ERRORS.FILE_NO_LONGER_EXISTS;
    }
  }

  async #checkQuota(row: UploadRow): Promise<void> {
    // The use already includes the row's own size.
    if (!fits(await readStorageUse(this.#db, row.group_id, row.owner_id), 0)) {
      throw new AppError(413, 'storage_exceeded', { file: row.name });
    }
  }

  #resumeHash(id: string, offset: number): RunningHash | undefined {
    const known = this.#hashes.get(id);
    if (known?.offset === offset) return known;
    this.#hashes.delete(id);
    if (offset !== 0 || this.#hashes.size >= MAX_RUNNING_HASHES) return undefined;
    const running = new RunningHash();
    this.#hashes.set(id, running);
    return running;
  }
}

async function writeAll(file: FileHandle, buffers: readonly Buffer[], position: number): Promise<void> {
  const total = buffers.reduce((sum, { length }) => sum + length, 0);
  const { bytesWritten } = await file.writev(buffers, position);
  if (bytesWritten < total) {
    const rest = Buffer.concat(buffers).subarray(bytesWritten); // a short write: the next write reports a full disk
    await writeAll(file, [rest], position + bytesWritten);
  }
}

/** Reports whether the source ended early: the client disconnected, or its request was aborted. */
function isBroken(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: string };
  return code === 'ECONNRESET' || code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'ABORT_ERR';
}
