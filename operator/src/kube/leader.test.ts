import type { KubeClient } from '@seqpanel/crds/kube/client.ts';
import type { Lease } from '@seqpanel/crds/kube/core-types.ts';
import { AlreadyExists, Conflict, NotFound } from '@seqpanel/crds/kube/errors.ts';
import type { Stored } from '@seqpanel/crds/kube/objects.ts';
import { Leader, LeadershipLost } from './leader.ts';
import { decideLease, heldSpec, type Sighting, sight } from './lease.ts';

const LONG_AGO = '2020-01-01T00:00:00.000000Z';
const IN_AN_HOUR = '2099-01-01T00:00:00.000000Z';
const aLease = (spec: NonNullable<Lease['spec']>): Lease => ({ spec: { leaseDurationSeconds: 10, ...spec } });
const since = (ms: number): Sighting => ({ record: '', since: ms });

describe('a candidate and the Lease', () => {
  test.each<[string, Lease | undefined, Sighting | undefined, ReturnType<typeof decideLease>]>([
    ['there is none', undefined, undefined, 'create'],
    ['it was released', aLease({ holderIdentity: '' }), since(50_000), 'take'],
    ['this process holds it from before a restart', aLease({ holderIdentity: 'me' }), since(50_000), 'take'],
    ['another process holds it, first seen now', aLease({ holderIdentity: 'other' }), since(50_000), 'wait'],
    ['another process has not renewed it for 9.999 s', aLease({ holderIdentity: 'other' }), since(40_001), 'wait'],
    ['another process has not renewed it for 10 s', aLease({ holderIdentity: 'other' }), since(40_000), 'take'],
    ['its holder requests 30 s', aLease({ holderIdentity: 'other', leaseDurationSeconds: 30 }), since(40_000), 'wait'],
    [
      'its holder’s clock is years behind',
      aLease({ holderIdentity: 'other', renewTime: LONG_AGO }),
      since(50_000),
      'wait',
    ],
    ['its holder’s clock is years ahead', aLease({ holderIdentity: 'other', renewTime: IN_AN_HOUR }), since(0), 'take'],
  ])('%s', (_, lease, seen, move) => {
    expect(decideLease(lease, seen, { identity: 'me', leaseMs: 10_000, now: 50_000 })).toBe(move);
  });

  test('a renewal counts from when it was seen, and an unchanged record does not', () => {
    const first = sight(aLease({ holderIdentity: 'other', renewTime: 'a' }), undefined, 1000);
    const again = sight(aLease({ holderIdentity: 'other', renewTime: 'a' }), first, 5000);
    const renewed = sight(aLease({ holderIdentity: 'other', renewTime: 'b' }), again, 6000);
    expect([first.since, again.since, renewed.since]).toEqual([1000, 1000, 6000]);
  });

  test('a takeover counts as a transition, a renewal does not', () => {
    const at = Date.parse('2026-11-21T10:00:00.250Z');
    const taken = heldSpec({ holderIdentity: 'other', leaseTransitions: 2 }, 'me', 10_000, at);
    expect(taken).toEqual({
      holderIdentity: 'me',
      leaseDurationSeconds: 10,
      acquireTime: '2026-11-21T10:00:00.250000Z',
      renewTime: '2026-11-21T10:00:00.250000Z',
      leaseTransitions: 3,
    });
    expect(heldSpec(taken, 'me', 10_000, at + 2000)).toMatchObject({
      acquireTime: taken.acquireTime,
      renewTime: '2026-11-21T10:00:02.250000Z',
      leaseTransitions: 3,
    });
  });
});

/** A server that holds one Lease under an optimistic lock, and a clock that the test moves. */
function startServer() {
  let stored: Stored<Lease> | undefined;
  let version = 0;
  let answers = true;
  let now = 0;
  const store = (lease: Lease): Stored<Lease> => {
    stored = { ...lease, metadata: { ...lease.metadata, resourceVersion: `${++version}` } } as Stored<Lease>;
    return stored;
  };
  const answer = async <T>(make: () => T): Promise<T> => {
    if (!answers) throw new Error('no answer');
    return make();
  };
  const client = {
    get: () =>
      answer(() => {
        if (!stored) throw new NotFound(404, {});
        return stored;
      }),
    create: (_: unknown, lease: Lease) =>
      answer(() => {
        if (stored) throw new AlreadyExists(409, {});
        return store(lease);
      }),
    update: (_: unknown, lease: Lease) =>
      answer(() => {
        if (lease.metadata?.resourceVersion !== stored?.metadata.resourceVersion) throw new Conflict(409, {});
        return store(lease);
      }),
  } as unknown as KubeClient;
  const times = { leaseMs: 10_000, renewMs: 7_000, retryMs: 4 };
  return {
    candidate: (identity: string) =>
      new Leader({ client, name: 'lease', identity, times, clock: () => now, now: () => version * 1000 }),
    holder: () => stored?.spec?.holderIdentity,
    pass: (ms: number) => {
      now += ms;
    },
    silence: (silent: boolean) => {
      answers = !silent;
    },
    /** A renewal succeeded but its response was lost. */
    renewUnseen: () => stored && store(stored),
  };
}

const whileOpen = () => new AbortController();
const turns = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test('one of two candidates leads; the other follows only after it releases the Lease', async () => {
  const server = startServer();
  const [a, b] = [server.candidate('a'), server.candidate('b')];
  const [endA, endB] = [whileOpen(), whileOpen()];
  await a.acquire(endA.signal);
  const holding = a.hold(endA.signal);
  const waiting = b.acquire(endB.signal);
  await turns(30);
  expect([a.leads, b.leads, server.holder()]).toEqual([true, false, 'a']);
  endA.abort();
  await holding;
  await a.release();
  await waiting;
  expect([a.leads, b.leads, server.holder()]).toEqual([false, true, 'b']);
});

test('a leader that was paused too long does not lead when it wakes, before any timer fires', async () => {
  const server = startServer();
  const leader = server.candidate('a');
  const end = whileOpen();
  await leader.acquire(end.signal);
  const holding = leader.hold(end.signal);
  server.pass(6_999);
  expect(leader.leads).toBe(true);
  server.pass(1);
  expect(leader.leads).toBe(false);
  await expect(holding).rejects.toThrow(LeadershipLost);
});

test('a leader without responses continues until its deadline, then gives up', async () => {
  const server = startServer();
  const leader = server.candidate('a');
  const end = whileOpen();
  await leader.acquire(end.signal);
  server.silence(true);
  const holding = leader.hold(end.signal);
  server.pass(6_000);
  await turns(20);
  expect(leader.leads).toBe(true);
  server.silence(false);
  await turns(20);
  server.pass(6_000);
  expect(leader.leads).toBe(true);
  server.silence(true);
  server.pass(7_000);
  await expect(holding).rejects.toThrow('7 s');
});

test('a renewal whose response was lost costs nothing', async () => {
  const server = startServer();
  const leader = server.candidate('a');
  const end = whileOpen();
  await leader.acquire(end.signal);
  server.renewUnseen();
  server.pass(6_000);
  const holding = leader.hold(end.signal);
  await turns(20);
  server.pass(6_000);
  expect(leader.leads).toBe(true);
  end.abort();
  await holding;
});

test('a leader whose Lease another process took while it was paused exits', async () => {
  const server = startServer();
  const [a, b] = [server.candidate('a'), server.candidate('b')];
  const end = whileOpen();
  await a.acquire(end.signal);
  const waiting = b.acquire(end.signal);
  await turns(10);
  server.pass(10_000);
  await waiting;
  expect([a.leads, b.leads, server.holder()]).toEqual([false, true, 'b']);
  await expect(a.hold(end.signal)).rejects.toThrow(LeadershipLost);
});
