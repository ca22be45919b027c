/** A laboratory with one object of each kind, an api process on it, and a function that undoes the effects of calls. */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env } from 'node:process';
import { createPasswordHasher } from '../../api/src/session/passwords.ts';
import { startApi, type TestApi } from '../../api/test-support/api.ts';
import { type ApiProcess, startApiProcess } from '../../api/test-support/api-process.ts';
import { aCompletedTask } from '../../api/test-support/completed-task.ts';
import { PANEL } from '../../api/test-support/laboratory.ts';
import { createTestDatabase } from '../../api/test-support/postgres.ts';
import { CALLERS, type CallerName, type Callers, rightsCallers } from '../../api/test-support/rights-callers.ts';
import { laboratoryObjects } from '../../api/test-support/rights-objects.ts';
import { keepRows } from './keep-rows.ts';
import type { FuzzSubject } from './requests.ts';
import { fuzzSubject } from './subject.ts';

export interface FuzzWorld {
  process: ApiProcess;
  subject: FuzzSubject;
  /** Restores the rows and files that the requests name and the callers' sessions. Returns new tokens. */
  heal(): Promise<Record<CallerName, string | undefined>>;
  close(): Promise<void>;
}

export async function fuzzWorld(): Promise<FuzzWorld> {
  const folder = mkdtempSync(join(tmpdir(), 'seqpanel-fuzz-'));
  const storageDir = join(folder, 'storage');
  mkdirSync(storageDir);
  const database = await createTestDatabase();
  const api = await startApi({ database, storageDir, hasher: createPasswordHasher() });
  const task = await aCompletedTask(api);
  const objects = await laboratoryObjects(api, task);
  const callers = await rightsCallers(api, task.lab, objects.file);
  mkdirSync(join(storageDir, 'incoming'));
  writeFileSync(join(storageDir, 'incoming', 'taken.fa'), '>17\nACGT\n');
  writeFileSync(join(storageDir, 'references', PANEL.genome.value, 'genome.fa'), '>17\nACGT\n');
  const subject = await fuzzSubject(api, task, objects, callers);
  cpSync(storageDir, join(folder, 'kept'), { recursive: true });
  const restore = await keepRows(database.db);

  writeFileSync(join(folder, 'secret'), api.deps.config.secret.toString('hex'));
  const process = await startApiProcess(database.url, {
    SEQPANEL_STORAGE: storageDir,
    SEQPANEL_LOGINS_PER_MINUTE: '100000',
    SEQPANEL_SECRET_FILE: join(folder, 'secret'),
    DATABASE_URL: database.url,
    ...(env['API_ARGS'] && { NODE_OPTIONS: env['API_ARGS'] }),
  });
  return {
    process,
    subject,
    heal: async () => {
      await restore();
      cpSync(join(folder, 'kept'), storageDir, { recursive: true, force: true });
      return await freshTokens(api, callers);
    },
    close: async () => {
      await process.dispose();
      await api.close();
      await database.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Tokens of the same sessions, because an access token is valid for minutes. */
async function freshTokens(api: TestApi, { tokens }: Callers): Promise<Record<CallerName, string | undefined>> {
  const fresh = { ...tokens };
  for (const caller of CALLERS) {
    const claims = tokens[caller] && (await api.tokens.verifyAccess(tokens[caller]));
    if (claims) fresh[caller] = tokens[caller] = await api.tokens.signAccess(claims);
  }
  return fresh;
}
