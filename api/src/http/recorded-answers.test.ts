/** `npm run record` writes the files; this test fails when the api answers otherwise. Console tests answer with them. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startApi, type TestApi } from '../../test-support/api.ts';
import { aLaboratory, type Laboratory } from '../../test-support/laboratory.ts';
import { playFiles, playOutdatedSaves } from '../../test-support/recorded-errors/files.ts';
import { type Recording, recordErrors } from '../../test-support/recorded-errors/recording.ts';
import { playOtherServers, playSignIn } from '../../test-support/recorded-errors/sign-in.ts';
import { playReruns, playTasks } from '../../test-support/recorded-errors/tasks.ts';

const FOLDER = join(import.meta.dirname, '..', '..', '..', 'console', 'test', 'recorded');
const isRecording = process.env['SEQPANEL_RECORD'] === '1';
let api: TestApi;
let lab: Laboratory;
beforeAll(async () => {
  const failing = { role: 'staff-or-group-admin' as const, handle: () => Promise.reject(new Error('it failed')) };
  const broken = { listDataSources: failing, listDataTypes: failing, listAnalysisTypes: failing };
  api = await startApi({ features: () => [{ name: 'lookup-tables', routes: broken }] });
  lab = await aLaboratory(api);
});
afterAll(() => api.close());

function expectRecorded(file: string, actual: Recording): void {
  const path = join(FOLDER, file);
  if (isRecording) {
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(path, `${JSON.stringify(actual, undefined, 2)}\n`);
  }
  expect(actual).toEqual(JSON.parse(readFileSync(path, 'utf8')));
}

test('[API-05] the errors that console tests answer with are those of the api', async () => {
  const { errors, checks } = await playReruns(api, lab);
  const { token } = await api.addUser({ staff: true });
  const failed = await api.call('GET', '/api/v1/pivat/admin/data_sources', { token });
  expectRecorded('rerun-checks.json', checks);
  expectRecorded(
    'errors.json',
    recordErrors([
      ...errors,
      ...(await playTasks(api, lab)),
      ...(await playFiles(api, lab)),
      ...(await playOutdatedSaves(api)),
      ...(await playSignIn(api)),
      ...(await playOtherServers(api)),
      failed,
    ]),
  );
});
