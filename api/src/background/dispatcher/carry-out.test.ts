import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { API_VERSION, type Genome } from '@seqpanel/crds/kinds.ts';
import { KubeClient } from '@seqpanel/crds/kube/client.ts';
import { plainAccess } from '@seqpanel/crds/kube/test-server.ts';
import type { Knex } from 'knex';
import type { Intent } from '../../outbox/intent.ts';
import { carryOut } from './carry-out.ts';
import { outcomeOf } from './intent-outcome.ts';

test('an object that violates its schema fails its intent with the field, without a call to the server', async () => {
  const kube = new KubeClient(plainAccess('http://127.0.0.1:1', () => 'none'));
  const object = { apiVersion: API_VERSION, kind: 'Genome', metadata: { name: 'g' }, spec: {} } as unknown as Genome;
  const intent: Intent = { type: 'apply', kind: 'Genome', object };
  const storageDir = mkdtempSync(join(tmpdir(), 'seqpanel-carry-out-'));
  const carrier = { db: undefined as unknown as Knex, kube, storageDir };
  const error = await carryOut(carrier, intent, new AbortController().signal).catch((thrown: unknown) => thrown);
  expect(outcomeOf(intent, error)).toEqual({
    state: 'failed',
    message: expect.stringMatching(/^Genome "g" is invalid: spec: must have required property/),
  });
  await kube.close();
  rmSync(storageDir, { recursive: true });
});
