import type { WorkerPool } from '@seqpanel/crds/kinds.ts';
import type { Stored } from '@seqpanel/crds/kube/objects.ts';
import { ago } from '../testing/task-builders.ts';
import { inputOf } from '../testing/workers.ts';
import { OwnWrites } from './own-writes.ts';

const pool = (resourceVersion: string, desired: number) =>
  ({ metadata: { name: 'fast', resourceVersion }, status: { desired } }) as Stored<WorkerPool>;
const [node] = inputOf({ nodes: [{ name: 'a', cordoned: 9 }] }).views.map((view) => view.node);

test('a write is known until the cache has caught up', () => {
  const own = new OwnWrites();
  const [before, stored, later] = [pool('1', 0), pool('2', 3), pool('3', 4)];
  own.wrotePool('k', before, stored);
  expect(own.pool('k', before)).toBe(stored);
  expect(own.pool('k', later)).toBe(later);
  expect(own.pool('k', before)).toBe(before);
});

test('[K8S-25] a node whose removal was written is leaving even if the cache does not show it yet', () => {
  const own = new OwnWrites();
  own.removes('a', ago(1));
  expect(own.nodes([node!])).toEqual([{ ...node, removingAt: ago(1) }]);
  // The cache shows the removal, and later that it was undone: nothing of it remains.
  expect(own.nodes([{ ...node!, removingAt: ago(1) }])).toEqual([{ ...node, removingAt: ago(1) }]);
  expect(own.nodes([node!])).toEqual([node]);
});

test('a later node of the same name is a different node', () => {
  const own = new OwnWrites();
  own.removes('a', ago(1));
  expect(own.nodes([])).toEqual([]);
  expect(own.nodes([node!])).toEqual([node]);
});
