import { humanDuration, jsonPath } from './table.ts';

const S = 1000;
const M = 60 * S;
const H = 60 * M;
const D = 24 * H;

describe('tables', () => {
  test.each([
    [5 * S, '5s'],
    [119 * S, '119s'],
    [2 * M, '2m'],
    [9 * M + 30 * S, '9m30s'],
    [179 * M, '179m'],
    [3 * H, '3h'],
    [7 * H + 5 * M, '7h5m'],
    [47 * H, '47h'],
    [3 * D + 2 * H, '3d2h'],
    [100 * D, '100d'],
    [800 * D, '2y70d'],
  ])('an age of %i ms is %s', (ms, text) => {
    expect(humanDuration(ms)).toBe(text);
  });

  test('a column finds a condition by its type', () => {
    const object = {
      status: {
        conditions: [
          { type: 'Valid', status: 'False' },
          { type: 'Ready', status: 'True' },
        ],
      },
    };
    expect(jsonPath(object, '.status.conditions[?(@.type=="Ready")].status')).toBe('True');
    expect(jsonPath(object, '.status.phase')).toBeUndefined();
  });
});
