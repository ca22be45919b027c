import { age, BYTES_PER_GB, durationParts, fileSize, gigabytes, joinSentences, utcTime } from './format.ts';

test.each([
  ['2026-11-01T08:09:10Z', '2026-11-01 08:09:10'],
  ['2026-11-01T08:09:10.999+08:00', '2026-11-01 00:09:10'],
  ['not a time', undefined],
])('[I18N-05] the time %s is shown in UTC as %s', (value, text) => {
  expect(utcTime(value)).toBe(text);
});

test.each([
  [0, '0'],
  [1, '< 0.01'],
  [0.0054 * BYTES_PER_GB, '< 0.01'],
  [0.05 * BYTES_PER_GB, '0.05'],
  [12.44 * BYTES_PER_GB, '12.4'],
  [50 * BYTES_PER_GB, '50.0'],
  [12_480 * BYTES_PER_GB, '12,480'],
])('%d bytes are %s GB', (bytes, text) => {
  expect(gigabytes(bytes)).toBe(text);
});

test.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [1024, '1.0 KB'],
  [43_200_000, '41.2 MB'],
  [2 * BYTES_PER_GB, '2.0 GB'],
])('a file of %d bytes has %s', (bytes, text) => {
  expect(fileSize(bytes)).toBe(text);
});

test('durations and ages have their two largest units', () => {
  expect(durationParts(3_840_000)).toEqual({ h: 1, min: 4, s: 0 });
  expect(age(new Date(0), new Date(59_000))).toEqual({ value: 59, unit: 'second' });
  expect(age(new Date(0), new Date(7_200_000))).toEqual({ value: 2, unit: 'hour' });
});

test('sentences are joined with a blank, Chinese ones without', () => {
  expect(joinSentences(['95 of 95 pass.', '1 is not assessed.'])).toBe('95 of 95 pass. 1 is not assessed.');
  expect(joinSentences(['95 个合格。', '1 个未评估。'])).toBe('95 个合格。1 个未评估。');
});
