import { ConnectionError, errorFor } from '@seqpanel/crds/kube/errors.ts';
import type { Intent } from '../../outbox/intent.ts';
import { ForeignObject, outcomeOf } from './intent-outcome.ts';

const launch: Intent = { type: 'launch', task: 't' };
const patch: Intent = { type: 'patch', kind: 'AnalysisTask', name: 't', patch: {} };
const answered = (status: number, reason = ''): Error => errorFor(status, { message: `answer ${status}`, reason });

describe('what an answer of the cluster means', () => {
  test.each<[string, Intent, unknown, string]>([
    ['success', launch, undefined, 'done'],
    ['422', launch, answered(422), 'failed'],
    ['400', launch, answered(400), 'failed'],
    ['413, larger than the server takes', launch, answered(413), 'failed'],
    ["another's object of the name", launch, new ForeignObject('AnalysisTask t'), 'failed'],
    ['409 of an update', launch, answered(409, 'Conflict'), 'retry'],
    ['429', launch, answered(429), 'retry'],
    ['500', launch, answered(500), 'retry'],
    ['503', launch, answered(503), 'retry'],
    ['403, rights that somebody may still give', launch, answered(403), 'retry'],
    ['no answer', launch, new ConnectionError('refused', 'ECONNREFUSED'), 'retry'],
    ['404 of a create: its namespace or kind is not there yet', launch, answered(404), 'retry'],
    ['404 of a patch: what was to be changed is gone', patch, answered(404), 'done'],
    ['an error of storage', launch, new Error('ENOSPC'), 'retry'],
  ])('%s', (_, intent, error, state) => {
    expect(outcomeOf(intent, error).state).toBe(state);
  });
});
