/**
 * Login through a provider and a directory with a private CA, set by the chart's values, seen from the api's pod. `npm
 * run test:cluster -- on-demand/sign-in`: 4 minutes, with Debian's slapd, on the node tier, or on a cluster whose pods
 * reach this machine at SEQPANEL_TEST_HOST.
 */
import { existsSync } from 'node:fs';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { type DirectoryServer, startDirectory } from '../../../../api/test-support/directory-server.ts';
import { type IdentityProvider, startIdentityProvider } from '../../../../api/test-support/identity-provider.ts';
import { makeLaboratoryCa } from '../../../../api/test-support/laboratory-ca.ts';
import { API, type RestClient } from '../../../../scripts/demo/rest-client.ts';
import { describeSkipped } from '../../binaries.ts';
import { IMAGES_MS, type Installation, newInstallation, RELEASE } from '../installation.ts';
import { describeBesideNodes } from './beside.ts';

const NS = `sign-in-${process.pid}`;
const TITLE = 'login by the values of the chart';
const CONSOLE = 'https://seqpanel.lab.example';
const SECRET = 'the-secret-of-seqpanel';
const PASSWORD = 'Kept-There7';
/** Time limit for the api's pod on a busy machine. */
const RESTART_MS = 240_000;

const suite = existsSync('/usr/sbin/slapd') ? describeBesideNodes : skipped;
function skipped(title: string): void {
  describeSkipped(title, 'slapd is not installed');
}

suite(TITLE, (cluster, host) => {
  let installed: Installation;
  let provider: IdentityProvider;
  let directory: DirectoryServer;
  let admin: RestClient;

  const post = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${admin.baseUrl}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    const said = (await answer.json()) as Record<string, string> & { profile: { username: string } };
    return { status: answer.status, said, cookie: answer.headers.get('set-cookie') ?? '' };
  };
  /** Logs in like a browser: redirect to the provider, its pages, and back with its answer. */
  const throughProvider = async (sub: string, meanwhile?: () => Promise<void>) => {
    const begun = await post('/auth/sso/begin', {});
    if (begun.status !== 200) return begun;
    const { search } = await provider.logIn(begun.said['location']!, { sub, preferred_username: sub });
    await meanwhile?.();
    return post('/auth/sso/finish', { query: search }, { cookie: begun.cookie.split(';')[0]! });
  };
  const byPassword = (password: string) => post('/auth/login', { username: 'mei', password });
  /** Reads all pods, because an earlier one may still be stopping next to the serving one. */
  const log = () => installed.kubectl('logs', '-l', 'app.kubernetes.io/component=api', '--tail=-1');
  const secret = (name: string, key: string, value: string) => {
    installed.kubectl('delete', 'secret', name, '--ignore-not-found');
    installed.kubectl('create', 'secret', 'generic', name, `--from-literal=${key}=${value}`);
  };
  const values = (more: Record<string, string>) =>
    Object.entries({
      'oidc.issuer': provider.issuer.href.replace(/\/$/, ''),
      'oidc.existingSecret': 'lab-oidc',
      'oidc.name': 'Lab login',
      'oidc.publicUrl': CONSOLE,
      'ldap.url': directory.url,
      'ldap.bindDn': directory.bindDn.replaceAll(',', '\\,'),
      'ldap.existingSecret': 'lab-ldap',
      'ldap.searchBase': directory.searchBase.replaceAll(',', '\\,'),
      caBundle: 'lab-ca',
      ...more,
    }).flatMap(([key, value]) => ['--set', `${key}=${value}`]);
  /** Restarts the api with other values or with the Secrets' current content. */
  const restart = async (more: Record<string, string> = {}) => {
    await installed.install(...values(more));
    installed.kubectl('rollout', 'restart', `deployment/${RELEASE}-api`);
    installed.kubectl('rollout', 'status', `deployment/${RELEASE}-api`, '--timeout=180s');
    admin = await installed.admin();
  };

  beforeAll(async () => {
    installed = await newInstallation(cluster(), NS);
    const { ca, place } = makeLaboratoryCa(host);
    setDefaultCACertificates([...getCACertificates(), ca]);
    provider = await startIdentityProvider('seqpanel', SECRET, `${CONSOLE}/login/sso`, place);
    directory = await startDirectory({ mei: PASSWORD }, place);
    installed.kubectl('create', 'configmap', 'lab-ca', `--from-literal=ca.crt=${ca}`);
    secret('lab-oidc', 'client-secret', SECRET);
    secret('lab-ldap', 'bind-password', directory.bindPassword);
    await installed.install(...values({}), '--wait', '--timeout', '3m');
    admin = await installed.admin();
    await admin.post(`${API}/admin/users/`, { username: 'mei', is_ldap: true });
  }, IMAGES_MS);
  afterAll(async () => {
    await installed?.dispose();
    await provider?.close();
    await directory?.close();
  }, RESTART_MS);

  test('[AUTH-09] a person known to the provider logs in, over https that only the given CA signs', async () => {
    const { status, said, cookie } = await throughProvider('kim');
    expect([status, said.profile.username]).toEqual([200, 'kim']);
    expect(cookie).toContain('Secure');
    const headers = { authorization: `Bearer ${said['token']}` };
    expect((await fetch(`${admin.baseUrl}${API}/profile`, { headers })).status).toBe(200);
  });

  test('[AUTH-08] a person known to the directory logs in with the directory’s password', async () => {
    const { status, said } = await byPassword(PASSWORD);
    expect([status, said.profile?.username]).toEqual([200, 'mei']);
    expect((await byPassword('another')).said['code']).toBe('login_failed');
  });

  test(
    'rejected secrets are reported as a problem of the settings, and the log names the value to fix',
    async () => {
      secret('lab-oidc', 'client-secret', 'another');
      secret('lab-ldap', 'bind-password', 'another');
      await restart();
      expect((await throughProvider('kim')).said['message']).toBe(
        'Login through the provider is misconfigured. Please ask an administrator.',
      );
      expect((await byPassword(PASSWORD)).said['message']).toBe('The LDAP server is misconfigured.');
      expect(log()).toMatch(
        /OpenID Connect provider \S+ cannot be used: it rejects this client: .*oidc\.existingSecret/,
      );
      expect(log()).toMatch(/LDAP server ldaps:\S+ cannot be used: it rejects the bind DN: .*ldap\.existingSecret/);
    },
    RESTART_MS,
  );

  test(
    '[ERR-26] without the CA neither is trusted, and the log names the value that sets it',
    async () => {
      secret('lab-oidc', 'client-secret', SECRET);
      secret('lab-ldap', 'bind-password', directory.bindPassword);
      await restart({ caBundle: '' });
      const sso = await throughProvider('kim');
      expect([sso.status, sso.said['code']]).toEqual([502, 'sso_unavailable']);
      expect((await byPassword(PASSWORD)).said['code']).toBe('ldap_misconfigured');
      expect(log()).toMatch(/OpenID Connect provider \S+ cannot be used: its certificate is not trusted .*caBundle/);
      expect(log()).toMatch(/LDAP server \S+ cannot be used: its certificate is not trusted .*caBundle/);
    },
    RESTART_MS,
  );

  test(
    'an unreachable provider and an unreachable directory are reported as such',
    async () => {
      await restart();
      const gone = await throughProvider('kim', () => provider.close());
      expect(gone.said['message']).toBe(
        'The login provider cannot be reached. Please try again later or ask an administrator.',
      );
      expect(log()).toMatch(/OpenID Connect provider \S+ cannot be used: it cannot be reached/);
      await directory.close();
      expect((await byPassword(PASSWORD)).said['code']).toBe('ldap_misconfigured');
      expect(log()).toMatch(/LDAP server \S+ cannot be used: it cannot be reached \(ECONNREFUSED\)/);
    },
    RESTART_MS,
  );
});
