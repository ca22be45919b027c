/**
 * Events for `kubectl describe`. An event's name is derived from its content, so recording the same event again, also
 * after a restart, creates no duplicate.
 */

import { createHash } from 'node:crypto';
import type { KubeClient } from '@seqpanel/crds/kube/client.ts';
import { isAlreadyExists } from '@seqpanel/crds/kube/errors.ts';
import type { KubeObject } from '@seqpanel/crds/kube/objects.ts';
import { EVENTS, type Stored } from '@seqpanel/crds/kube/objects.ts';
import { timestamp } from './conditions.ts';

/** Longest message; longer text belongs in a condition or a file. */
const MESSAGE_MAX = 300;

/** Longest part of the object's name in the event's name, which is limited to 253 characters. A hash includes its uid. */
const NAME_MAX = 230;

export interface EventText {
  type: 'Normal' | 'Warning';
  /** PascalCase. */
  reason: string;
  message: string;
}

export interface EventRecorder {
  /** Never throws or blocks: an event that cannot be written must not hold up the work it describes. */
  record(about: Stored<KubeObject>, event: EventText): void;
  /** Resolves when all recorded events are written or given up. */
  settled(): Promise<void>;
}

export interface EventRecorderOptions {
  client: KubeClient;
  signal: AbortSignal;
  now?: () => number;
  onError?: (error: unknown) => void;
}

export function createEventRecorder({ client, signal, now = Date.now, onError }: EventRecorderOptions): EventRecorder {
  const open = new Set<Promise<void>>();
  const write = async (about: Stored<KubeObject>, { type, reason, message }: EventText): Promise<void> => {
    const text = message.length > MESSAGE_MAX ? `${message.slice(0, MESSAGE_MAX - 1)}…` : message;
    const { name, namespace, uid, resourceVersion } = about.metadata;
    const hash = createHash('sha256')
      .update(JSON.stringify([uid, reason, text]))
      .digest('hex')
      .slice(0, 16);
    const at = timestamp(now());
    try {
      await client.create(
        EVENTS,
        {
          apiVersion: 'v1',
          kind: 'Event',
          metadata: { name: `${name.slice(0, NAME_MAX)}.${hash}`, ...(namespace !== undefined && { namespace }) },
          type,
          reason,
          message: text,
          count: 1,
          firstTimestamp: at,
          lastTimestamp: at,
          source: { component: 'seqpanel-operator' },
          reportingComponent: 'seqpanel-operator',
          involvedObject: {
            ...(about.apiVersion !== undefined && { apiVersion: about.apiVersion }),
            ...(about.kind !== undefined && { kind: about.kind }),
            ...(namespace !== undefined && { namespace }),
            name,
            uid,
            resourceVersion,
          },
        },
        { signal, ...(namespace !== undefined && { namespace }) },
      );
    } catch (error) {
      if (!isAlreadyExists(error) && !signal.aborted) onError?.(error);
    }
  };
  return {
    record: (about, event) => {
      const writing: Promise<void> = write(about, event).finally(() => open.delete(writing));
      open.add(writing);
    },
    settled: async () => {
      await Promise.all(open);
    },
  };
}
