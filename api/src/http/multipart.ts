/** Reads a multipart body: files into a temporary folder, fields into `req.body`. Keeps no file in memory. */
import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Transform, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import busboy from 'busboy';
import type { Request } from 'express';
import { AppError } from '../errors.ts';
import type { UploadedFile } from '../feature.ts';
import type { FormSpace } from './form-space.ts';

const MAX_FIELDS = 100;
const MAX_FIELD_BYTES = 100_000;

export interface MultipartBody {
  fields: Record<string, string>;
  files: UploadedFile[];
  /** Removes the folder. */
  discard(): Promise<void>;
}

export const isMultipart = (req: Request): boolean =>
  /^multipart\/form-data\b/i.test(req.headers['content-type'] ?? '');

/**
 * Throws request_too_large over a limit of the form, unavailable when all forms together are too large, and
 * request_unreadable for a broken body. After each of these no file remains, and the connection can still carry the
 * answer.
 */
export async function readMultipart(req: Request, space: FormSpace, root: string = tmpdir()): Promise<MultipartBody> {
  const { limits } = space;
  const folder = join(root, `seqpanel-form-${randomUUID()}`);
  let held = 0;
  const discard = async (): Promise<void> => {
    await rm(folder, { recursive: true, force: true });
    space.release(held);
    held = 0;
  };
  const { promise: refused, reject: refuse } = Promise.withResolvers<never>();
  refused.catch(() => undefined); // may reject after the form was read
  const tooLarge = () => refuse(new AppError(413, 'request_too_large'));
  const hold = (bytes: number): boolean => {
    if (held + bytes > limits.formBytes) tooLarge();
    else if (!space.take(bytes)) refuse(new AppError(503, 'unavailable'));
    else {
      held += bytes;
      return true;
    }
    return false;
  };
  const fields: Record<string, string> = {};
  const files: Promise<UploadedFile>[] = [];
  let form: busboy.Busboy | undefined;
  try {
    form = busboy({
      headers: req.headers,
      preservePath: false,
      limits: {
        fileSize: limits.fileBytes + 1, // busboy reports the limit when it is reached, not when it is exceeded
        files: limits.files,
        fields: MAX_FIELDS,
        fieldSize: MAX_FIELD_BYTES,
        parts: limits.files + MAX_FIELDS,
      },
    });
    for (const limit of ['filesLimit', 'fieldsLimit', 'partsLimit'] as const) form.on(limit, tooLarge);
    form.on('field', (name, value, { valueTruncated }) => {
      if (valueTruncated) tooLarge();
      else if (hold(Buffer.byteLength(value))) fields[name] = value;
    });
    form.on('file', (part, stream, info) => {
      stream.on('limit', tooLarge);
      const path = join(folder, String(files.length));
      const stored = store(part, basename(info.filename ?? ''), stream, path, hold);
      stored.catch(() => undefined); // awaited below; a broken body rejects before that
      files.push(stored);
    });
    await mkdir(folder, { mode: 0o700, recursive: true });
    await Promise.race([refused, received(req, form)]);
    const stored = await Promise.race([refused, Promise.all(files)]);
    return { fields, files: stored.filter((file) => file.name !== ''), discard };
  } catch (error) {
    if (form) {
      req.unpipe(form);
      form.destroy();
    }
    req.resume();
    await Promise.allSettled(files);
    await discard();
    if (error instanceof AppError) throw error;
    throw new AppError(400, 'request_unreadable', undefined, { cause: error });
  }
}

/**
 * Resolves when `form` has received the body. Not a pipeline, because that would close the connection of a rejected
 * request.
 */
function received(req: Request, form: Writable): Promise<void> {
  return new Promise((resolve, reject) => {
    form.once('close', resolve).on('error', reject);
    req.once('error', reject).once('close', () => {
      if (!req.complete) reject(new Error('the connection closed before the end of the body'));
    });
    req.pipe(form);
  });
}

async function store(
  part: string,
  name: string,
  stream: NodeJS.ReadableStream,
  path: string,
  hold: (bytes: number) => boolean,
): Promise<UploadedFile> {
  const hash = createHash('sha256');
  let size = 0;
  const measure = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      if (!hold(chunk.length)) return done(new Error('the form is too large'));
      hash.update(chunk);
      size += chunk.length;
      done(null, chunk);
    },
  });
  await pipeline(stream, measure, createWriteStream(path, { mode: 0o600 }));
  return { part, name, path, size, sha256: hash.digest('hex') };
}
