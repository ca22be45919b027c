/**
 * The proxy and the CA in the chart's values: connections that use them, and direct ones. `npm run test:cluster --
 * on-demand/proxy`: 3 minutes, on the node tier, or on a cluster whose pods reach this machine at SEQPANEL_TEST_HOST.
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { type IdentityProvider, startIdentityProvider } from '../../../../api/test-support/identity-provider.ts';
import { makeLaboratoryCa } from '../../../../api/test-support/laboratory-ca.ts';
import { API, type RestClient } from '../../../../scripts/demo/rest-client.ts';
import { eventually, type KubeObject } from '../../kube-http.ts';
import { IMAGES_MS, type Installation, newInstallation } from '../installation.ts';
import { describeBesideNodes } from './beside.ts';
import { type ForwardProxy, startForwardProxy } from './forward-proxy.ts';

const NS = `proxy-${process.pid}`;
const GENOMES = 'genomes.lab.example';
const CONSOLE = 'https://seqpanel.lab.example';
const SECRET = 'the-secret-of-seqpanel';
const RESTART_MS = 240_000;
const bases = (seed: string): string =>
  Array.from({ length: 40 }, (_, i) => createHash('sha256').update(`${seed}${i}`).digest('hex'))
    .join('')
    .replace(/./g, (digit) => 'ACGT'[Number.parseInt(digit, 16) % 4]!);
const FASTA = `>7\n${bases('a')}\n>17\n${bases('b')}\n`;

describeBesideNodes('the proxy of the chart', (cluster, host) => {
  let installed: Installation;
  let web: Server;
  let provider: IdentityProvider;
  let proxy: ForwardProxy;
  let admin: RestClient;
  /** Client addresses seen by the genomes' host. */
  const visitors: string[] = [];

  const values = (more: Record<string, string> = {}) =>
    Object.entries({
      'oidc.issuer': provider.issuer.href.replace(/\/$/, ''),
      'oidc.existingSecret': 'lab-oidc',
      'oidc.publicUrl': CONSOLE,
      'genomes.hosts[0]': GENOMES,
      'proxy.https': proxy.url,
      caBundle: 'lab-ca',
      ...more,
    }).flatMap(([key, value]) => ['--set', `${key}=${value}`]);
  const post = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    };
    const answer = await fetch(`${admin.baseUrl}${path}`, init);
    return { answer, said: (await answer.json()) as Record<string, string> };
  };
  const throughProvider = async () => {
    const begun = await post('/auth/sso/begin', {});
    if (!begun.answer.ok) return begun.said['code'];
    const { search } = await provider.logIn(begun.said['location']!, { sub: 'kim', preferred_username: 'kim' });
    const cookie = begun.answer.headers.get('set-cookie')!.split(';')[0]!;
    return (await post('/auth/sso/finish', { query: search }, { cookie })).answer.status;
  };
  /** Returns the genome's condition Valid once it is not Unknown. */
  const install = async (name: string): Promise<KubeObject> => {
    const genomes = `/apis/seqpanel.dev/v1alpha1/namespaces/${NS}/genomes`;
    await cluster().kube.create(genomes, {
      apiVersion: 'seqpanel.dev/v1alpha1',
      kind: 'Genome',
      metadata: { name },
      spec: {
        displayName: name,
        value: name,
        active: true,
        source: {
          url: `https://${GENOMES}/${name}.fa`,
          sha256: createHash('sha256').update(FASTA).digest('hex'),
        },
      },
    });
    return eventually(
      `genome ${name} judged`,
      async () => {
        const { status } = await cluster().kube.get(`${genomes}/${name}`);
        const valid = status?.conditions?.find(({ type }: KubeObject) => type === 'Valid');
        return valid && valid.reason !== 'Checking' && valid;
      },
      200,
    );
  };

  beforeAll(async () => {
    installed = await newInstallation(cluster(), NS);
    const { ca, place } = makeLaboratoryCa(host, GENOMES);
    setDefaultCACertificates([...getCACertificates(), ca]);
    web = createServer(place, (req, answer) => {
      visitors.push(req.socket.remoteAddress ?? '');
      answer.end(FASTA);
    });
    await once(web.listen(0, host), 'listening');
    const { port } = web.address() as AddressInfo;
    provider = await startIdentityProvider('seqpanel', SECRET, `${CONSOLE}/login/sso`, place);
    proxy = await startForwardProxy(host, { [GENOMES]: { host, port } });
    installed.kubectl('create', 'configmap', 'lab-ca', `--from-literal=ca.crt=${ca}`);
    installed.kubectl('create', 'secret', 'generic', 'lab-oidc', `--from-literal=client-secret=${SECRET}`);
    await installed.install(...values(), '--wait', '--timeout', '3m');
    admin = await installed.admin();
  }, IMAGES_MS);
  afterAll(async () => {
    await installed?.dispose();
    await proxy?.close();
    await provider?.close();
    web?.closeAllConnections();
    web?.close();
  }, RESTART_MS);

  test(
    'a genome of a host that only the proxy knows is fetched through it, with https and the given CA',
    async () => {
      expect(await install('tiny')).toMatchObject({ status: 'True' });
      expect(proxy.asked).toContain(`${GENOMES}:443`);
      // The proxy runs on this machine, so no pod connected directly.
      expect(visitors.length).toBeGreaterThan(0);
      expect([...new Set(visitors)]).toEqual([host]);
      const { results } = await admin.get<{ results: { value: string }[] }>(`${API}/admin/genomes?page_size=100`);
      expect(results.map(({ value }) => value)).toContain('tiny');
    },
    RESTART_MS,
  );

  test('the api connects to the provider through it, and to the cluster and the database directly', async () => {
    expect(await throughProvider()).toBe(200);
    const hosts = new Set(proxy.asked);
    expect([...hosts].sort()).toEqual([`${GENOMES}:443`, provider.issuer.host].sort());
  });

  test(
    'an excepted host is reached directly',
    async () => {
      await installed.install(...values({ 'proxy.except': `${host}\\,.svc` }), '--wait', '--timeout', '3m');
      admin = await installed.admin();
      const before = proxy.asked.length;
      expect(await throughProvider()).toBe(200);
      expect(proxy.asked.slice(before)).toEqual([]);
    },
    RESTART_MS,
  );

  test(
    'without the CA nothing is fetched, and the genome’s condition gives the reason',
    async () => {
      await installed.install(...values({ caBundle: '' }), '--wait', '--timeout', '3m');
      const { status, reason, message } = await install('untrusted');
      expect([status, reason]).toEqual(['Unknown', 'CheckError']);
      expect(message).toContain(`fetching https://${GENOMES}/untrusted.fa failed`);
      expect(message).toContain('the CA of its certificate is not trusted');
    },
    RESTART_MS,
  );
});
