import { UploadSpeeds } from './upload-speed.ts';

test('the speed is the mean of the last four seconds, and a new transfer starts at zero', () => {
  const speeds = new UploadSpeeds();
  speeds.begin('a');
  expect(speeds.speed('a', 0, 1_000)).toBe(0);
  expect(speeds.speed('a', 600, 3_000)).toBe(300);
  expect(speeds.speed('a', 2_000, 6_000)).toBeCloseTo(1_400 / 3);
  speeds.begin('a');
  expect(speeds.speed('a', 2_000, 7_000)).toBe(0);
});
