import { statfsSync } from 'node:fs';
import { Registry } from 'prom-client';
import { startApi, type TestApi } from '../../test-support/api.ts';
import { aLaboratory, type Laboratory } from '../../test-support/laboratory.ts';
import { MeasureReader } from './measure-reader.ts';
import { measureTraffic } from './measures.ts';

let api: TestApi;
let lab: Laboratory;
let lagMs = 0;
const traffic = new Registry();
let failures: { inc(): void };
beforeAll(async () => {
  api = await startApi();
  lab = await aLaboratory(api);
  failures = measureTraffic(
    { ...api.deps, metrics: traffic, measures: new MeasureReader(traffic, api.deps.log) },
    () => lagMs,
  ).ingestFailures;
});
afterAll(() => api.close());

const valueIn = (text: string, name: string): number =>
  Number(new RegExp(`^${name.replace(/[{}"]/g, '\\$&')} (\\S+)$`, 'm').exec(text)?.[1]);
const traffics = async (name: string): Promise<number> => valueIn(await traffic.metrics(), name);

test('the free space of storage and the tasks by status are measured', async () => {
  const body = await api.deps.metrics.metrics();
  const { blocks, bsize } = statfsSync(api.storageDir);
  expect(valueIn(body, 'seqpanel_storage_size_bytes')).toBe(blocks * bsize);
  const free = valueIn(body, 'seqpanel_storage_free_bytes');
  expect(free).toBeGreaterThan(0);
  expect(free).toBeLessThanOrEqual(blocks * bsize);
  expect(valueIn(body, 'seqpanel_tasks{status="failed"}')).toBe(0);
  expect(body).toMatch(/^# HELP seqpanel_storage_free_bytes .{20}/m);
});

test('ages grow while a launch waits to be carried out, and while its first status is missing', async () => {
  expect(await traffics('seqpanel_outbox_oldest_seconds')).toBe(0);
  expect(await traffics('seqpanel_status_oldest_seconds')).toBe(0);
  const id = await lab.launch(['S1']);
  api.advance(90);
  const near90 = (seconds: number) => seconds >= 90 && seconds < 120;
  expect(near90(await traffics('seqpanel_outbox_oldest_seconds'))).toBe(true);
  // The intent waits for the dispatcher, not for the operator.
  expect(await traffics('seqpanel_status_oldest_seconds')).toBe(0);
  await api.deps.db('outbox').update({ state: 'done' });
  expect(await traffics('seqpanel_outbox_oldest_seconds')).toBe(0);
  expect(near90(await traffics('seqpanel_status_oldest_seconds'))).toBe(true);
  await api.deps.db('task').where({ id }).update({ revision: 1 });
  expect(await traffics('seqpanel_status_oldest_seconds')).toBe(0);
  lagMs = 12_000;
  expect(await traffics('seqpanel_status_oldest_seconds')).toBe(12);
  await api.deps.db('task').where({ id }).update({ status: 'failed' });
  expect(await traffics('seqpanel_status_oldest_seconds')).toBe(0);
});

test('failures of the ingest are counted', async () => {
  expect(await traffics('seqpanel_ingest_failures_total')).toBe(0);
  failures.inc();
  expect(await traffics('seqpanel_ingest_failures_total')).toBe(1);
});
