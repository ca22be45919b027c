import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { KubeClient } from './client.ts';
import { ConnectionError } from './errors.ts';
import { accessFromFile, loadKubeAccess } from './kubeconfig.ts';
import { JOBS } from './objects.ts';
import { answer, type Handler, startTestServer } from './test-server.ts';

const dir = mkdtempSync(join(tmpdir(), 'seqpanel-kubeconfig-'));
afterAll(() => rmSync(dir, { recursive: true }));
const signal = new AbortController().signal;

function aFile(cluster: object, user: object, name = 'config', context = 'lab'): { KUBECONFIG: string } {
  const path = join(dir, name);
  const content = {
    'current-context': context,
    contexts: [{ name: context, context: { cluster: 'c', user: 'u', namespace: 'seqpanel' } }],
    clusters: [{ name: 'c', cluster: { server: 'https://lab.example:6443/', ...cluster } }],
    users: [{ name: 'u', user }],
  };
  writeFileSync(path, JSON.stringify(content));
  return { KUBECONFIG: path };
}

/** Returns the Authorization headers of `calls` requests with this kubeconfig. The server answers 401 to `rejected`. */
async function authorizations(
  user: object,
  calls: ((call: () => Promise<unknown>) => Promise<unknown>)[],
  rejected = '',
) {
  const handler: Handler = (request, response) =>
    answer(request.headers.authorization === `Bearer ${rejected}` ? 401 : 200, { metadata: {} })(request, response);
  const server = await startTestServer(handler);
  const client = new KubeClient(await loadKubeAccess(aFile({ server: server.access.server }, user)));
  try {
    for (const step of calls) await step(() => client.get(JOBS, 'a', { signal }));
    return server.seen.map(({ headers }) => headers.authorization);
  } finally {
    await client.close();
    await server.stop();
  }
}

test('a kubeconfig gives the server and the namespace of its context', async () => {
  const { server, namespace } = await loadKubeAccess(aFile({}, { token: 't' }));
  expect({ server, namespace }).toEqual({ server: 'https://lab.example:6443', namespace: 'seqpanel' });
});

test('a password is removed from the server’s URL, because the URL is logged', async () => {
  const { server } = await loadKubeAccess(aFile({ server: 'http://me:secret@127.0.0.1:1/base/' }, { token: 'secret' }));
  expect(server).toBe('http://127.0.0.1:1/base');
});

test('in a list of files the first definition of a name wins, and missing files are skipped', async () => {
  const first = aFile({}, { token: 'first' }, 'first');
  const second = join(dir, 'second');
  writeFileSync(
    second,
    JSON.stringify({
      'current-context': 'other',
      contexts: [{ name: 'other', context: { cluster: 'c', user: 'v' } }],
      clusters: [{ name: 'c', cluster: { server: 'https://elsewhere.example' } }],
      users: [{ name: 'v', user: { token: 'second' } }],
    }),
  );
  const both = await loadKubeAccess({ KUBECONFIG: `/nowhere:${first.KUBECONFIG}:${second}` });
  expect(both.server).toBe('https://lab.example:6443');
  expect((await both.connection()).headers).toEqual({ Authorization: 'Bearer first' });

  const noContext = join(dir, 'no-context');
  writeFileSync(
    noContext,
    JSON.stringify({ clusters: [{ name: 'c', cluster: { server: 'https://shared.example' } }] }),
  );
  const merged = await loadKubeAccess({ KUBECONFIG: `${noContext}:${second}` });
  expect(merged.server).toBe('https://shared.example');
  expect((await merged.connection()).headers).toEqual({ Authorization: 'Bearer second' });
});

test('a changed token file is read again when the server rejects the old token, within the same call', async () => {
  writeFileSync(join(dir, 'token'), 'one\n');
  const seen = await authorizations(
    { tokenFile: 'token' },
    [
      (call) => call(),
      (call) => {
        writeFileSync(join(dir, 'token'), 'two\n');
        return call();
      },
    ],
    'none',
  );
  expect(seen).toEqual(['Bearer one', 'Bearer one']);
  writeFileSync(join(dir, 'token'), 'one\n');
  const renewed = await authorizations(
    { tokenFile: 'token' },
    [
      (call) => {
        writeFileSync(join(dir, 'token'), 'two\n');
        return call();
      },
    ],
    'one',
  );
  expect(renewed.at(-1)).toBe('Bearer two');
});

describe('an exec plugin', () => {
  /** Writes a plugin that counts its runs and prints token-N, valid for the given seconds. */
  function aPlugin(seconds: number): object {
    const count = join(dir, `count-${seconds}`);
    writeFileSync(count, '0');
    const script = `#!/bin/sh
n=$(($(cat ${count}) + 1)); echo $n > ${count}
case "$KUBERNETES_EXEC_INFO" in *ExecCredential*) ;; *) echo 'no exec info' >&2; exit 3;; esac
until=$(date -u -d "+${seconds} seconds" +%Y-%m-%dT%H:%M:%SZ)
printf '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"%s-%s","expirationTimestamp":"%s"}}' "$PREFIX" $n $until
`;
    writeFileSync(join(dir, 'plugin.sh'), script, { mode: 0o755 });
    const env = [{ name: 'PREFIX', value: 'token' }];
    return { exec: { apiVersion: 'client.authentication.k8s.io/v1', command: './plugin.sh', args: [], env } };
  }
  const together = (call: () => Promise<unknown>) => Promise.all([call(), call(), call()]);

  test('runs once for concurrent requests, and its token is reused while valid', async () => {
    const seen = await authorizations(aPlugin(600), [together, (call) => call()]);
    expect(seen).toEqual(['Bearer token-1', 'Bearer token-1', 'Bearer token-1', 'Bearer token-1']);
  });

  test('runs again when the server rejects the token, within the same call and once for all calls', async () => {
    const seen = await authorizations(aPlugin(600), [together, together], 'token-1');
    expect(seen.filter((header) => header === 'Bearer token-1')).toHaveLength(3);
    expect(seen.filter((header) => header === 'Bearer token-2')).toHaveLength(6);
  });

  test('runs again when its token has expired', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'setTimeout', 'setInterval', 'queueMicrotask'] });
    try {
      const seen = await authorizations(aPlugin(30), [
        (call) => call(),
        (call) => {
          jest.advanceTimersByTime(31_000);
          return call();
        },
      ]);
      expect(seen).toEqual(['Bearer token-1', 'Bearer token-2']);
    } finally {
      jest.useRealTimers();
    }
  });

  test('reports a failure with the user and the plugin’s output, and the call can be retried', async () => {
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: '/bin/sh',
      args: ['-c', 'echo >&2 no login; exit 1'],
    };
    const client = new KubeClient(await loadKubeAccess(aFile({}, { exec })));
    const error = await client.get(JOBS, 'a', { signal }).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(ConnectionError);
    expect((error as Error).message).toContain('credentials of user "u": no login');
    await client.close();
  });
});

test('an unknown auth-provider is rejected instead of ignored', async () => {
  const file = aFile({}, { 'auth-provider': { name: 'kerberos', config: {} } });
  await expect(loadKubeAccess(file)).rejects.toThrow(
    'user "u" needs the auth-provider "kerberos", which is not supported',
  );
});

test('an auth-provider without a token is an error, not an anonymous request', async () => {
  const { connection } = await loadKubeAccess(aFile({}, { 'auth-provider': { name: 'oidc', config: {} } }));
  await expect(connection()).rejects.toThrow('user "u": the plugin or auth-provider returned no token');
});

test('errors name the missing file, variable or context', async () => {
  expect(() => loadKubeAccess({})).toThrow('KUBECONFIG is not set');
  await expect(accessFromFile('/nowhere')).rejects.toThrow('KUBECONFIG /nowhere: file not found');
  const broken = aFile({}, {});
  writeFileSync(broken.KUBECONFIG, 'current-context: other\n');
  await expect(loadKubeAccess(broken)).rejects.toThrow('context "other" not found');
});
