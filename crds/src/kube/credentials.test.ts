import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createProxy } from 'node:http';
import { createServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { jest } from '@jest/globals';
import { KubeClient } from './client.ts';
import { accessFromFile } from './kubeconfig.ts';
import { JOBS } from './objects.ts';

const dir = mkdtempSync(join(tmpdir(), 'seqpanel-credentials-'));
afterAll(() => rmSync(dir, { recursive: true }));
const signal = new AbortController().signal;
const inDir = (name: string): string => join(dir, name);

/** Creates a self-signed certificate as NAME.crt and NAME.key. */
function aCertificate(name: string, host: string): void {
  const subject = ['-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host}`];
  const files = ['-keyout', inDir(`${name}.key`), '-out', inDir(`${name}.crt`)];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  execFileSync('openssl', ['req', '-x509', ...curve, '-days', '2', ...subject, ...files], { stdio: 'pipe' });
}

/** Starts an API server that requires client certificates, and a proxy that records the hosts of CONNECT. */
async function start() {
  aCertificate('server', 'api.internal');
  aCertificate('client', 'first');
  const seen: { client: unknown; protocol: string }[] = [];
  const server = createServer(
    {
      cert: readFileSync(inDir('server.crt')),
      key: readFileSync(inDir('server.key')),
      ALPNProtocols: ['h2', 'http/1.1'],
      requestCert: true,
      rejectUnauthorized: false,
    },
    (request, response) => {
      const socket = request.socket as TLSSocket;
      seen.push({ client: socket.getPeerCertificate().subject?.CN, protocol: `HTTP/${request.httpVersion}` });
      response.end('{"metadata":{}}');
    },
  );
  const tunnels: string[] = [];
  const proxy = createProxy().on('connect', (request, socket) => {
    tunnels.push(request.url ?? '');
    const [host, port] = (request.url ?? '').split(':');
    const upstream = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      upstream.pipe(socket).pipe(upstream);
    });
    for (const end of [socket, upstream]) end.on('error', () => undefined);
  });
  await Promise.all([
    once(server.listen(0, '127.0.0.1'), 'listening'),
    once(proxy.listen(0, '127.0.0.1'), 'listening'),
  ]);
  const port = (of: { address(): unknown }): number => (of.address() as AddressInfo).port;
  const kubeconfig = inDir('config');
  const write = (cluster: object): void =>
    writeFileSync(
      kubeconfig,
      JSON.stringify({
        'current-context': 'c',
        contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
        clusters: [
          {
            name: 'c',
            cluster: {
              server: `https://127.0.0.1:${port(server)}`,
              'certificate-authority': 'server.crt',
              'tls-server-name': 'api.internal',
              ...cluster,
            },
          },
        ],
        users: [{ name: 'u', user: { 'client-certificate': 'client.crt', 'client-key': 'client.key' } }],
      }),
    );
  const stop = (): void => {
    server.closeAllConnections();
    server.close();
    proxy.closeAllConnections();
    proxy.close();
  };
  return {
    seen,
    tunnels,
    kubeconfig,
    write,
    proxyUrl: `http://127.0.0.1:${port(proxy)}`,
    server: `127.0.0.1:${port(server)}`,
    stop,
  };
}

// Needs openssl for the certificates.
(spawnSync('openssl', ['version']).status === 0 ? describe : describe.skip)('on TLS', () => {
  let world: Awaited<ReturnType<typeof start>>;
  let client: KubeClient;
  beforeEach(async () => {
    world = await start();
  });
  afterEach(async () => {
    await client.close();
    world.stop();
  });

  test('proxy-url uses a CONNECT proxy, and tls-server-name is the name checked in the certificate', async () => {
    world.write({ 'proxy-url': world.proxyUrl });
    client = new KubeClient(await accessFromFile(world.kubeconfig));
    await client.get(JOBS, 'a', { signal });
    expect(world.tunnels).toEqual([world.server]);
    expect(world.seen).toEqual([{ client: 'first', protocol: 'HTTP/1.1' }]);
  });

  test('a server with a certificate for another name is rejected', async () => {
    world.write({ 'tls-server-name': 'other.internal' });
    client = new KubeClient(await accessFromFile(world.kubeconfig));
    await expect(client.get(JOBS, 'a', { signal })).rejects.toThrow(/other\.internal/);
    expect(world.seen).toEqual([]);
  });

  test('a renewed client certificate is used without a restart', async () => {
    world.write({});
    client = new KubeClient(await accessFromFile(world.kubeconfig));
    await client.get(JOBS, 'a', { signal });
    aCertificate('client', 'second');
    const clock = jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 11_000);
    await client.get(JOBS, 'a', { signal });
    clock.mockRestore();
    expect(world.seen.map((request) => request.client)).toEqual(['first', 'second']);
  });
});
