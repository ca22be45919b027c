/** The tus data store: bytes into the hidden file, the offset is its size, SHA-256 on the way. */
import { createHash, type Hash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, open, stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { DataStore, ERRORS, Upload } from '@tus/server';
import type { Knex } from 'knex';
import { AppError } from '../errors.ts';
import { fits, readStorageUse } from '../projects/storage-use.ts';
import { dropUpload, pathsOf, readUpload, type UploadRow } from './upload-rows.ts';

/** After so many bytes the quota is looked at again: it may have been lowered since the upload began. */
const QUOTA_CHECK_BYTES = 64 * 1024 * 1024;
/** Hashes of uploads in progress that are kept; the hash of any other is computed at the end. */
const MAX_RUNNING_HASHES = 200;

interface RunningHash {
  hash: Hash;
  offset: number;
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

  /** The row is there already (create-upload.ts); this makes its empty file. */
  override async create(upload: Upload): Promise<Upload> {
    const paths = pathsOf(this.#storageDir, await this.#row(upload.id));
    await mkdir(paths.folder, { recursive: true });
    await (await open(paths.temporary, 'wx', 0o640)).close();
    return upload;
  }

  override async getUpload(id: string): Promise<Upload> {
    const row = await this.#row(id);
    const offset = row.file_id ? row.size : await this.#storedBytes(row);
    return new Upload({ id, size: row.size, offset, metadata: { filename: row.name, project: row.project_id } });
  }

  override async write(readable: Readable, id: string, offset: number): Promise<number> {
    const row = await this.#row(id);
    if (row.file_id) throw ERRORS.FILE_NO_LONGER_EXISTS;
    await this.#db('upload').where({ id }).update({ touched: this.#db.fn.now() });
    const running = this.#resumeHash(id, offset);
    let received = 0;
    let checkAt = QUOTA_CHECK_BYTES;
    const measure = new Transform({
      readableHighWaterMark: 1 << 20,
      transform: (chunk: Buffer, _encoding, done) => {
        received += chunk.length;
        if (running) {
          running.hash.update(chunk);
          running.offset += chunk.length;
        }
        if (received < checkAt) return done(null, chunk);
        checkAt += QUOTA_CHECK_BYTES;
        this.#checkQuota(row).then(() => done(null, chunk), done);
      },
    });
    try {
      await this.#checkQuota(row);
      const target = createWriteStream(pathsOf(this.#storageDir, row).temporary, {
        flags: 'r+',
        start: offset,
        highWaterMark: 4 << 20,
      });
      await pipeline(readable, measure, target);
    } catch (error) {
      this.#hashes.delete(id); // it may be ahead of what was written
      if (error instanceof AppError) await dropUpload(this.#db, this.#storageDir, row);
      throw error;
    }
    return offset + received;
  }

  override async remove(id: string): Promise<void> {
    const row = await this.#row(id);
    if (row.file_id) throw ERRORS.FILE_NO_LONGER_EXISTS;
    this.#hashes.delete(id);
    await dropUpload(this.#db, this.#storageDir, row);
  }

  /** The SHA-256 of a complete upload, as hex, when all its bytes came through this process in order. */
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
      return (await stat(pathsOf(this.#storageDir, row).temporary)).size;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      throw ERRORS.FILE_NO_LONGER_EXISTS;
    }
  }

  async #checkQuota(row: UploadRow): Promise<void> {
    // The row's own size is in the use already.
    if (!fits(await readStorageUse(this.#db, row.group_id, row.owner_id), 0)) {
      throw new AppError(413, 'storage_exceeded', { file: row.name });
    }
  }

  #resumeHash(id: string, offset: number): RunningHash | undefined {
    const known = this.#hashes.get(id);
    if (known?.offset === offset) return known;
    this.#hashes.delete(id);
    if (offset !== 0 || this.#hashes.size >= MAX_RUNNING_HASHES) return undefined;
    const running = { hash: createHash('sha256'), offset: 0 };
    this.#hashes.set(id, running);
    return running;
  }
}
