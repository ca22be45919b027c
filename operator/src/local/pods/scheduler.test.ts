import type { Pod } from '@seqpanel/crds/kube/core-types.ts';
import type { Obj } from '../objects/metadata.ts';
import { place } from './scheduler.ts';

const GI = 2 ** 30;
const aPod = (name: string, second: number, cpu: string, memory = '1Gi'): Obj & Pod => ({
  metadata: { name, creationTimestamp: `2026-01-01T00:00:0${second}Z` },
  spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu, memory } } }] },
});
const names = (pods: Obj[]) => pods.map(({ metadata }) => metadata.name);
const NOTHING = { cpu: 0, memory: 0 };
const MACHINE = { cpu: 2, memory: 4 * GI };

describe('the order in which pods start', () => {
  test('oldest first, within one second the larger first, then by name', () => {
    const waiting = [
      aPod('new', 2, '100m'),
      aPod('b-10', 1, '100m'),
      aPod('b-9', 1, '100m'),
      aPod('large', 1, '100m', '2Gi'),
    ];
    expect(names(place(waiting, NOTHING, { cpu: 9, memory: 9 * GI }, true).fits)).toEqual([
      'large',
      'b-9',
      'b-10',
      'new',
    ]);
  });

  test('a pod that does not fit waits with kube-scheduler’s message, and a smaller one may overtake it', () => {
    const { fits, waits } = place(
      [aPod('a', 1, '1', '3Gi'), aPod('b', 2, '1', '3Gi'), aPod('c', 3, '1')],
      NOTHING,
      MACHINE,
      true,
    );
    expect(names(fits)).toEqual(['a', 'c']);
    expect(waits.map(({ message }) => message)).toEqual(['0/1 nodes are available: 1 Insufficient memory.']);
  });

  test('a request above the machine’s size counts as its size, so that a single pod always fits', () => {
    expect(place([aPod('huge', 1, '64', '256Gi')], NOTHING, MACHINE, true).fits).toHaveLength(1);
    expect(place([aPod('huge', 1, '64', '256Gi')], { cpu: 1, memory: 0 }, MACHINE, true).fits).toHaveLength(0);
    const [refused] = place([aPod('huge', 1, '64', '256Gi')], NOTHING, MACHINE, false).waits;
    expect(refused?.message).toBe('0/1 nodes are available: 1 Insufficient cpu, 1 Insufficient memory.');
  });
});
