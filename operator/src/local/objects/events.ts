/** Events (core/v1) of the local controllers; a repeated event increments its count. */

import { createHash } from 'node:crypto';
import { type Obj, timestamp } from './metadata.ts';
import type { Registry } from './registry.ts';
import { apiVersion, EVENT, type ResourceType } from './resources.ts';

/** Writes an event about an object, or increments the count of an equal one. */
export function recordEvent(
  registry: Registry,
  component: string,
  about: { type: ResourceType; object: Obj },
  event: { type: 'Normal' | 'Warning'; reason: string; message: string },
): void {
  const { namespace = 'default', name = '', uid = '', resourceVersion = '' } = about.object.metadata;
  const id = createHash('sha1')
    .update(`${uid}/${event.type}/${event.reason}/${event.message}`)
    .digest('hex')
    .slice(0, 16);
  const now = timestamp(registry.now());
  const eventName = `${name}.${id}`;
  const old = registry.find(EVENT, namespace, eventName);
  if (old) {
    const count = Number(old['count'] ?? 1) + 1;
    registry.put(EVENT, old, { ...old, metadata: { ...old.metadata }, count, lastTimestamp: now });
    return;
  }
  registry.create(EVENT, namespace, {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: eventName, namespace },
    involvedObject: {
      apiVersion: apiVersion(about.type),
      kind: about.type.kind,
      namespace,
      name,
      uid,
      resourceVersion,
    },
    ...event,
    message: event.message.slice(0, 1024),
    source: { component },
    reportingComponent: component,
    reportingInstance: '',
    firstTimestamp: now,
    lastTimestamp: now,
    count: 1,
  });
}
