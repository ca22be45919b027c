/** Sends a file of storage with ranges (206, 416), If-Range by ETag and a download name, in constant memory. */
import { pipeline } from 'node:stream/promises';
import type { Request, Response } from 'express';
import { AppError, Conflict } from '../errors.ts';
import { openToRead, type StoragePlace } from '../storage/inside-storage.ts';

export interface SentFile {
  place: StoragePlace;
  /** Download name. Made of the characters that our file names allow. */
  name: string;
  type?: string;
  /** Unquoted. Changes with the content. */
  etag?: string;
  inline?: boolean;
  /** Size in bytes according to the file's row. */
  size?: number;
}

const READ_BYTES = 256 * 1024;

/** Returns an inclusive byte range, undefined for the whole file, or 'none' for a range outside the file. */
export function rangeOf(header: string | undefined, size: number): { start: number; end: number } | 'none' | undefined {
  const found = /^bytes=(\d*)-(\d*)$/.exec(header ?? ''); // several ranges: the whole file is a valid answer
  if (!found || (found[1] === '' && found[2] === '')) return undefined;
  if (found[1] === '') {
    const length = Math.min(Number(found[2]), size);
    return length === 0 ? 'none' : { start: size - length, end: size - 1 };
  }
  const start = Number(found[1]);
  const end = found[2] === '' ? size - 1 : Math.min(Number(found[2]), size - 1);
  if (start >= size) return 'none';
  return end < start ? undefined : { start, end };
}

/** Throws ENOENT for a missing file, and file_changed when its size differs from its row. */
export async function sendFile(req: Request, res: Response, file: SentFile): Promise<void> {
  const handle = await openToRead(file.place);
  try {
    const { size, mtimeMs } = await handle.stat();
    if (file.size !== undefined && file.size !== size) throw new Conflict('file_changed', { file: file.name });
    const etag = `"${file.etag ?? `${size.toString(36)}-${Math.trunc(mtimeMs).toString(36)}`}"`;
    res.setHeader('Accept-Ranges', 'bytes');
    res.setHeader('ETag', etag);
    res.setHeader('Content-Type', file.type ?? 'application/octet-stream');
    res.setHeader('Content-Disposition', `${file.inline ? 'inline' : 'attachment'}; filename="${file.name}"`);
    if (req.headers['if-none-match'] === etag) {
      res.status(304).end();
      return;
    }
    const ifRange = req.headers['if-range'];
    const range = ifRange && ifRange !== etag ? undefined : rangeOf(req.headers.range, size);
    if (range === 'none') {
      for (const header of ['Content-Disposition', 'ETag']) res.removeHeader(header);
      res.setHeader('Content-Range', `bytes */${size}`);
      const message = `must begin within the ${size} bytes of the file`;
      throw new AppError(416, 'request_invalid', { problems: [{ field: 'Range', message }] });
    }
    const { start, end } = range ?? { start: 0, end: size - 1 };
    res.status(range ? 206 : 200);
    if (range) res.setHeader('Content-Range', `bytes ${start}-${end}/${size}`);
    res.setHeader('Content-Length', end - start + 1);
    if (req.method === 'HEAD' || size === 0) {
      res.end();
      return;
    }
    // A client that disconnects is not an error.
    await pipeline(handle.createReadStream({ start, end, highWaterMark: READ_BYTES, autoClose: false }), res);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  } finally {
    await handle.close().catch(() => undefined);
  }
}
