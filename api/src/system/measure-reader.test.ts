import { setImmediate } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { pino } from 'pino';
import { Gauge, Registry } from 'prom-client';
import { MeasureReader } from './measure-reader.ts';

const log = pino({ level: 'silent' });

/** A gauge `value` that `read` sets, and a clock. */
function measured(read: (set: (value: number) => void) => Promise<void>, timeoutMs = 1_000) {
  const metrics = new Registry();
  const clock = { ms: 0 };
  const reader = new MeasureReader(metrics, log, timeoutMs, () => clock.ms);
  const gauge: Gauge = new Gauge({
    name: 'value',
    help: 'a value',
    registers: [metrics],
    collect: reader.collector('place', () => read((value) => gauge.set(value))),
  });
  gauge.remove();
  const scrape = async () => {
    const text = await metrics.metrics();
    const of = (name: string) => /(\S+)$/.exec(new RegExp(`^${name}.*$`, 'm').exec(text)?.[0] ?? '')?.[1];
    return { value: of('value'), age: of('seqpanel_api_measure_age_seconds\\{measure="place"\\}') };
  };
  return { clock, scrape };
}

test('a measure that cannot be read keeps its last value and reports its age, until it is read again', async () => {
  let isAway = false;
  let value = 7;
  const { clock, scrape } = measured(async (set) => {
    if (isAway) throw new Error('the database is away');
    set(value);
  });
  expect(await scrape()).toEqual({ value: '7', age: '0' });
  isAway = true;
  value = 8;
  clock.ms += 90_000;
  expect(await scrape()).toEqual({ value: '7', age: '90' });
  isAway = false;
  expect(await scrape()).toEqual({ value: '8', age: '0' });
});

test('a measure that was never read has no value', async () => {
  const { clock, scrape } = measured(() => Promise.reject(new Error('the storage is away')));
  clock.ms += 5_000;
  expect(await scrape()).toEqual({ value: undefined, age: '5' });
});

test('a read that hangs delays a scrape by no more than the timeout, and is not started a second time', async () => {
  let reads = 0;
  let answer = (): void => {};
  const { clock, scrape } = measured(async (set) => {
    reads++;
    await new Promise<void>((resolve) => {
      answer = resolve;
    });
    set(reads);
  }, 50);
  const started = performance.now();
  expect(await scrape()).toEqual({ value: undefined, age: '0' });
  clock.ms += 30_000;
  expect(await scrape()).toEqual({ value: undefined, age: '30' });
  expect(performance.now() - started).toBeLessThan(2_000);
  expect(reads).toBe(1);
  answer();
  await setImmediate();
  expect(await scrape()).toEqual({ value: '1', age: '0' });
  expect(reads).toBe(2);
  answer();
});
