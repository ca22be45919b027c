import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { readConfig } from '../config.ts';
import { MEMORY_DOUBLINGS_MAX } from './memory-doublings.ts';

const helm = (file: string): string => readFileSync(join(import.meta.dirname, '../../../helm', file), 'utf8');

test('the chart lets the memory be doubled as often as the operator does, and has its default', () => {
  const { memoryDoublings } = JSON.parse(helm('values.schema.json')).properties.tasks.properties;
  expect(memoryDoublings).toMatchObject({ minimum: 0, maximum: MEMORY_DOUBLINGS_MAX });
  const config = readConfig({});
  expect(parse(helm('values.yaml')).tasks.memoryDoublings).toBe(config.tasks.memoryDoublings);
});

test('steps and checks have one setting', () => {
  const { tasks, checks } = readConfig({ SEQPANEL_MEMORY_DOUBLINGS: '1' });
  expect([tasks.memoryDoublings, checks.memoryDoublings]).toEqual([1, 1]);
  expect(() => readConfig({ SEQPANEL_MEMORY_DOUBLINGS: '9' })).toThrow('SEQPANEL_MEMORY_DOUBLINGS');
});
