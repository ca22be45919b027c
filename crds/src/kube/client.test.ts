import { KubeClient } from './client.ts';
import {
  AlreadyExists,
  Conflict,
  ConnectionError,
  Gone,
  Invalid,
  isAbort,
  isRetryable,
  NotFound,
  ServerUnavailable,
  TooManyRequests,
} from './errors.ts';
import { JOBS, NODES } from './objects.ts';
import { answer, plainAccess, startTestServer, watchOf } from './test-server.ts';

const signal = new AbortController().signal;

test.each([
  [404, {}, NotFound],
  [409, { reason: 'Conflict' }, Conflict],
  [409, { reason: 'AlreadyExists' }, AlreadyExists],
  [410, { reason: 'Expired' }, Gone],
  [422, { reason: 'Invalid' }, Invalid],
  [503, {}, ServerUnavailable],
])('an answer %i %j throws its own error type', async (status, body, type) => {
  const server = await startTestServer(answer(status, body));
  const client = new KubeClient(server.access);
  await expect(client.get(JOBS, 'a', { signal })).rejects.toBeInstanceOf(type);
  await client.close();
  await server.stop();
});

test('a 429 sets the time to wait, from the header or the body', async () => {
  const server = await startTestServer(
    answer(429, {}, { 'retry-after': '7' }),
    answer(429, { details: { retryAfterSeconds: 3 } }),
  );
  const client = new KubeClient(server.access);
  await expect(client.get(JOBS, 'a', { signal })).rejects.toMatchObject({ retryAfter: 7 });
  const second = await client.get(JOBS, 'a', { signal }).catch((error: unknown) => error);
  expect(second).toBeInstanceOf(TooManyRequests);
  expect(second).toMatchObject({ retryAfter: 3 });
  await client.close();
  await server.stop();
});

test('an unreachable server throws a ConnectionError that names the call and can be retried', async () => {
  const server = await startTestServer(answer(200, {}));
  await server.stop();
  const client = new KubeClient(server.access);
  const error = await client.get(JOBS, 'a', { signal }).catch((e: unknown) => e);
  expect(error).toBeInstanceOf(ConnectionError);
  expect((error as Error).message).toContain('GET /apis/batch/v1/namespaces/test/jobs/a');
  expect(isRetryable(error)).toBe(true);
  await client.close();
});

test('an abort ends a pending call and is distinguished from an error', async () => {
  const server = await startTestServer(() => {});
  const client = new KubeClient(server.access);
  const controller = new AbortController();
  const call = client.get(JOBS, 'a', { signal: controller.signal }).catch((e: unknown) => e);
  controller.abort();
  expect(isAbort(await call)).toBe(true);
  await client.close();
  await server.stop();
});

test('patch sends a merge patch, delete sets its propagation, a cluster-scoped path has no namespace', async () => {
  const server = await startTestServer(answer(200, {}));
  const client = new KubeClient(server.access);
  await client.patch(JOBS, 'a', { metadata: { resourceVersion: '5' } }, { signal, subresource: 'status' });
  await client.delete(JOBS, 'a', { signal, propagation: 'Background', uid: 'u1' });
  await client.get(NODES, 'n', { signal });
  expect(server.seen.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'PATCH /apis/batch/v1/namespaces/test/jobs/a/status',
    'DELETE /apis/batch/v1/namespaces/test/jobs/a',
    'GET /api/v1/nodes/n',
  ]);
  expect(server.seen[0]?.headers['content-type']).toBe('application/merge-patch+json');
  expect(JSON.parse(server.seen[1]?.body ?? '')).toMatchObject({
    propagationPolicy: 'Background',
    preconditions: { uid: 'u1' },
  });
  expect(server.seen[0]?.headers.authorization).toBe('Bearer secret');
  await client.close();
  await server.stop();
});

test('a renewed token is used after one 401, within the same call', async () => {
  const server = await startTestServer(answer(401, {}), answer(200, { metadata: { name: 'a' } }));
  const client = new KubeClient(plainAccess(server.access.server, (isRejected) => (isRejected ? 'new' : 'old')));
  await client.get(JOBS, 'a', { signal });
  expect(server.seen.map(({ headers }) => headers.authorization)).toEqual(['Bearer old', 'Bearer new']);
  await client.close();
  await server.stop();
});

test('a watch event that is split between two writes is read completely', async () => {
  const text = `${JSON.stringify({ type: 'ADDED', object: { metadata: { name: 'ä'.repeat(50_000) } } })}\n`;
  const bytes = Buffer.from(text);
  const server = await startTestServer((_, response) => {
    response.writeHead(200);
    response.write(bytes.subarray(0, 40_001));
    setImmediate(() => response.end(bytes.subarray(40_001)));
  });
  const client = new KubeClient(server.access);
  const names: number[] = [];
  for await (const event of client.watch(JOBS, { signal, resourceVersion: '1', timeoutSeconds: 5 }))
    names.push(event.object.metadata.name.length);
  expect(names).toEqual([50_000]);
  await client.close();
  await server.stop();
});

test('an ERROR inside a watch throws the same error as an HTTP answer', async () => {
  const server = await startTestServer(watchOf([{ type: 'ERROR', object: { code: 410, reason: 'Expired' } }], 'end'));
  const client = new KubeClient(server.access);
  const read = async () => {
    for await (const _ of client.watch(JOBS, { signal, resourceVersion: '1', timeoutSeconds: 5 }));
  };
  await expect(read()).rejects.toBeInstanceOf(Gone);
  await client.close();
  await server.stop();
});

test('a kind is found in the server’s list without subresources, and an unknown group is no error', async () => {
  const resources = [
    { name: 'machines/scale', kind: 'Machine', namespaced: true },
    { name: 'machines', kind: 'Machine', namespaced: true },
  ];
  const server = await startTestServer(answer(200, { resources }), answer(200, { resources }), answer(404, {}));
  const client = new KubeClient(server.access);
  expect(await client.find('cluster.x-k8s.io/v1beta1', 'Machine', signal)).toEqual({
    group: 'cluster.x-k8s.io',
    version: 'v1beta1',
    plural: 'machines',
    kind: 'Machine',
    namespaced: true,
  });
  expect(await client.find('cluster.x-k8s.io/v1beta1', 'Nothing', signal)).toBeUndefined();
  expect(await client.find('no.such/v1', 'Machine', signal)).toBeUndefined();
  await client.close();
  await server.stop();
});
