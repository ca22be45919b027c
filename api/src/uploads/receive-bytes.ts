/**
 * PATCH of the tus protocol, from the socket straight to the file. @tus/server would use web streams, which cost more
 * than the write and the hash together. @tus/server handles the other verbs.
 */
import type { IncomingMessage } from 'node:http';
import type { Locker } from '@tus/server';
import { AppError, Invalid } from '../errors.ts';
import type { UploadRow } from './upload-rows.ts';
import type { UploadStore } from './upload-store.ts';

/** Time without bytes after which a client counts as gone. Stored bytes are kept. */
const SILENCE_MS = 60_000;

/** Stores the request's bytes and returns the new offset. Throws AppError; HEAD then gives the offset. */
export async function receiveBytes(
  store: UploadStore,
  locker: Locker,
  row: UploadRow,
  req: IncomingMessage,
): Promise<number> {
  const asked = Number(req.headers['upload-offset']);
  if (req.headers['content-type'] !== 'application/offset+octet-stream')
    throw new AppError(415, 'media_type_unsupported');
  if (req.headers['tus-resumable'] !== '1.0.0') throw new AppError(412, 'request_invalid');
  if (!Number.isSafeInteger(asked) || asked < 0) throw new Invalid('upload_offset');
  const ending = new AbortController();
  const lock = locker.newLock(row.id);
  // Stops reading and keeps the stored bytes when another connection wants this upload or the lease is lost.
  await lock.lock(ending.signal, () => ending.abort());
  try {
    const { offset } = await store.getUpload(row.id);
    if (offset !== asked) throw new AppError(409, 'upload_offset', { offset });
    const length = Number(req.headers['content-length'] ?? Number.NaN);
    if (offset + (Number.isNaN(length) ? 0 : length) > row.size) throw new AppError(413, 'upload_too_long');
    req.setTimeout(SILENCE_MS, () => ending.abort());
    return await store.receive(req, row, offset, ending.signal);
  } finally {
    await lock.unlock();
  }
}
