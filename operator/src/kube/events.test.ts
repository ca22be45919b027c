import type { KubeClient } from '@seqpanel/crds/kube/client.ts';
import type { CoreEvent } from '@seqpanel/crds/kube/core-types.ts';
import type { KubeObject, Stored } from '@seqpanel/crds/kube/objects.ts';
import { createEventRecorder } from './events.ts';

const about = (name: string, uid = 'u'): Stored<KubeObject> => ({
  apiVersion: 'seqpanel.dev/v1alpha1',
  kind: 'Genome',
  metadata: { name, namespace: 'test', uid, resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' },
});

async function recorded(...objects: Stored<KubeObject>[]): Promise<CoreEvent[]> {
  const made: CoreEvent[] = [];
  const client = { create: async (_: unknown, event: CoreEvent) => void made.push(event) };
  const events = createEventRecorder({ client: client as unknown as KubeClient, signal: new AbortController().signal });
  for (const object of objects) events.record(object, { type: 'Normal', reason: 'Valid', message: 'm'.repeat(500) });
  await events.settled();
  return made;
}
const nameOf = ({ metadata }: CoreEvent): string => metadata?.name ?? '';

test('a repeated event about the same object creates no duplicate; about its successor it creates a new one', async () => {
  const [first, again, successor] = await recorded(about('g'), about('g'), about('g', 'another'));
  expect(nameOf(again!)).toBe(nameOf(first!));
  expect(nameOf(successor!)).not.toBe(nameOf(first!));
});

test('an object with the longest name gets a valid event name, and long messages are truncated', async () => {
  const [event] = await recorded(about('g'.repeat(253)));
  expect(nameOf(event!).length).toBeLessThanOrEqual(253);
  expect(event!.involvedObject.name).toBe('g'.repeat(253));
  expect(event!.message).toMatch(/^m{299}…$/);
});
