/** What nobody comes back for: uploads left alone, and those whose last byte came just before a process ended. */
import type { Logger } from 'pino';
import { SYSTEM } from '../audit/write-audit.ts';
import { AppError } from '../errors.ts';
import { statEntry } from '../storage/inside-storage.ts';
import { type FinishDeps, finishUpload } from './finish-upload.ts';
import { dropUpload, pathsOf, type UploadRow } from './upload-rows.ts';

/** A paused upload may be continued for a week; a finished one's row is kept for a day. */
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
      // Of this row alone: the others must be finished or expire all the same.
      log.error({ err: error, upload: row.id, file: row.name }, 'upload cannot be swept');
    }
  }
}

/** Finishes a complete upload. One that is incomplete, or cannot be finished, is given up after a week without a byte. */
async function sweepOne(deps: FinishDeps, row: UploadRow, log: Logger): Promise<void> {
  const { db, storageDir, now } = deps;
  const isExpired = now().getTime() - row.touched.getTime() > EXPIRY_MS;
  const stored = await statEntry(pathsOf(storageDir, row).temporary).catch(() => undefined);
  if (stored?.size === row.size) {
    try {
      return await finishUpload(deps, row, undefined, SYSTEM);
    } catch (error) {
      if (error instanceof AppError) {
        log.warn({ file: row.name, code: error.code }, 'An upload left complete was refused');
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
