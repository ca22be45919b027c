import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadKubeAccess, serverInCluster } from './kubeconfig.ts';

const dir = mkdtempSync(join(tmpdir(), 'seqpanel-kubeconfig-'));
afterAll(() => rmSync(dir, { recursive: true }));

const base64 = (text: string): string => Buffer.from(text).toString('base64');

function aFile(cluster: object, user: object): { KUBECONFIG: string } {
  const path = join(dir, 'config');
  const content = {
    'current-context': 'lab',
    contexts: [{ name: 'lab', context: { cluster: 'c', user: 'u', namespace: 'seqpanel' } }],
    clusters: [{ name: 'c', cluster: { server: 'https://lab.example:6443/', ...cluster } }],
    users: [{ name: 'u', user }],
  };
  writeFileSync(path, JSON.stringify(content));
  return { KUBECONFIG: path };
}

test('a kubeconfig gives the server, the namespace, the CA and the client certificate', () => {
  const access = loadKubeAccess(
    aFile(
      { 'certificate-authority-data': base64('CA') },
      { 'client-certificate-data': base64('CERT'), 'client-key-data': base64('KEY') },
    ),
  );
  expect(access).toMatchObject({
    server: 'https://lab.example:6443',
    namespace: 'seqpanel',
    ca: 'CA',
    cert: 'CERT',
    key: 'KEY',
  });
});

test('a token file is read again on demand, and is found beside the kubeconfig', () => {
  writeFileSync(join(dir, 'token'), 'one\n');
  const { token } = loadKubeAccess(aFile({}, { tokenFile: 'token' }));
  writeFileSync(join(dir, 'token'), 'two\n');
  expect([token(), token(true)]).toEqual(['one', 'two']);
});

test('a password in the server’s URL does not stay in it, because the URL is logged', () => {
  const { server } = loadKubeAccess(aFile({ server: 'http://me:secret@127.0.0.1:1/base/' }, { token: 'secret' }));
  expect(server).toBe('http://127.0.0.1:1/base');
});

test.each([
  ['10.96.0.1', '443', 'https://10.96.0.1:443'],
  ['fd00::1', '6443', 'https://[fd00::1]:6443'],
  ['kubernetes.default.svc', undefined, 'https://kubernetes.default.svc:443'],
  [undefined, '443', undefined],
])('a pod that is told of %s finds the API server there', (host, port, server) => {
  expect(serverInCluster({ KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port })).toBe(server);
  if (server) expect(new URL(server).port || '443').toBe(port ?? '443');
});

test('what is missing is named', () => {
  expect(() => loadKubeAccess({})).toThrow('KUBECONFIG is not set');
  expect(() => loadKubeAccess({ KUBECONFIG: '/nowhere' })).toThrow('KUBECONFIG /nowhere');
  const broken = aFile({}, {});
  writeFileSync(broken.KUBECONFIG, 'current-context: other\n');
  expect(() => loadKubeAccess(broken)).toThrow('there is no context "other"');
});
