/** Reads a multipart body: its files into a folder of their own, its fields into `req.body`. Nothing stays in memory. */
import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import busboy from 'busboy';
import type { Request } from 'express';
import { AppError } from '../errors.ts';
import type { UploadedFile } from '../feature.ts';

/** A panel's files: the largest is a baseline of control data. Bytes. */
const MAX_FILE_BYTES = 256 * 1024 * 1024;
const MAX_FILES = 110;

export interface MultipartBody {
  fields: Record<string, string>;
  files: UploadedFile[];
  /** Removes the folder. */
  discard(): Promise<void>;
}

export const isMultipart = (req: Request): boolean =>
  /^multipart\/form-data\b/i.test(req.headers['content-type'] ?? '');

/** Throws request_too_large over a limit and request_unreadable for a broken body; both leave no file. */
export async function readMultipart(req: Request, root: string = tmpdir()): Promise<MultipartBody> {
  const folder = join(root, `seqpanel-form-${randomUUID()}`);
  await mkdir(folder, { mode: 0o700, recursive: true });
  const discard = () => rm(folder, { recursive: true, force: true });
  const fields: Record<string, string> = {};
  const files: Promise<UploadedFile>[] = [];
  let tooLarge = false;
  try {
    const form = busboy({
      headers: req.headers,
      preservePath: false,
      limits: { fileSize: MAX_FILE_BYTES, files: MAX_FILES, fields: 100, fieldSize: 100_000, parts: 250 },
    });
    form.on('field', (name, value) => {
      fields[name] = value;
    });
    form.on('filesLimit', () => {
      tooLarge = true;
    });
    form.on('file', (part, stream, info) => {
      stream.on('limit', () => {
        tooLarge = true;
      });
      const stored = store(part, basename(info.filename ?? ''), stream, join(folder, String(files.length)));
      stored.catch(() => undefined); // awaited below; a broken body rejects before that
      files.push(stored);
    });
    await pipeline(req, form);
    const stored = await Promise.all(files);
    if (tooLarge) throw new AppError(413, 'request_too_large');
    return { fields, files: stored.filter((file) => file.name !== ''), discard };
  } catch (error) {
    await discard();
    if (error instanceof AppError) throw error;
    throw new AppError(400, 'request_unreadable', undefined, { cause: error });
  }
}

async function store(part: string, name: string, stream: NodeJS.ReadableStream, path: string): Promise<UploadedFile> {
  const hash = createHash('sha256');
  let size = 0;
  const measure = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      size += chunk.length;
      done(null, chunk);
    },
  });
  await pipeline(stream, measure, createWriteStream(path, { mode: 0o600 }));
  return { part, name, path, size, sha256: hash.digest('hex') };
}
