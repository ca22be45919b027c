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
  const { db, storageDir, now } = deps;
  const before = (ms: number): Date => new Date(now().getTime() - ms);
  await db('upload').whereNotNull('file_id').where('touched', '<', before(FINISHED_MS)).delete();
  const open: UploadRow[] = await db('upload')
    .whereNull('file_id')
    .where((free) => free.whereNull('locked_until').orWhere('locked_until', '<', db.raw('clock_timestamp()')));
  for (const row of open) {
    const stored = await statEntry(pathsOf(storageDir, row).temporary).catch(() => undefined);
    if (stored?.size === row.size) {
      await finishUpload(deps, row, undefined, SYSTEM).catch((error) => {
        if (!(error instanceof AppError)) throw error;
        log.warn({ file: row.name, code: error.code }, 'An upload left complete was refused');
      });
    } else if (row.touched < before(EXPIRY_MS)) {
      await dropUpload(db, storageDir, row);
    }
  }
}
