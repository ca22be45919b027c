/** Removes abandoned uploads and finishes those whose process died after the last byte. */
import type { Logger } from 'pino';
import { SYSTEM } from '../audit/write-audit.ts';
import { AppError } from '../errors.ts';
import { statEntry } from '../storage/inside-storage.ts';
import { type FinishDeps, finishUpload } from './finish-upload.ts';
import { dropUpload, pathsOf, type UploadRow } from './upload-rows.ts';

/** A paused upload can be resumed for a week. The row of a finished one is kept for a day. */
const EXPIRY_MS = 7 * 86_400_000;
const FINISHED_MS = 86_400_000;

export async function sweepUploads(deps: FinishDeps, log: Logger): Promise<void> {
  const { db, now } = deps;
  const before = (ms: number): Date => new Date(now().getTime() - ms);
  await db('upload').whereNotNull('file_id').where('touched', '<', before(FINISHED_MS)).delete();
  const open: UploadRow[] = await db('upload')
    .whereNull('file_id')
    .where((free) => free.whereNull('locked_until').orWhere('locked_until', '<', db.raw('clock_timestamp()')));
  for (const row of open) {
    try {
      await sweepOne(deps, row, log);
    } catch (error) {
      // Logged per row, so that the other uploads are still swept.
      log.error({ err: error, upload: row.id, file: row.name }, 'upload cannot be swept');
    }
  }
}

/** Finishes a complete upload. Drops one that is incomplete or cannot be finished after a week without a byte. */
async function sweepOne(deps: FinishDeps, row: UploadRow, log: Logger): Promise<void> {
  const { db, storageDir, now } = deps;
  const isExpired = now().getTime() - row.touched.getTime() > EXPIRY_MS;
  const stored = await statEntry(pathsOf(storageDir, row).temporary).catch(() => undefined);
  if (stored?.size === row.size) {
    try {
      return await finishUpload(deps, row, undefined, SYSTEM);
    } catch (error) {
      if (error instanceof AppError) {
        log.warn({ file: row.name, code: error.code }, 'complete upload rejected');
        return;
      }
      if (!isExpired) throw error;
      log.error(
        { err: error, upload: row.id, file: row.name },
        'complete upload could not be listed for a week, removed',
      );
    }
  }
  if (isExpired) await dropUpload(db, storageDir, row);
}
