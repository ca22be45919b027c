import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { type IdentityProvider, startIdentityProvider } from '../../test-support/identity-provider.ts';
import { createProvider } from './provider.ts';

const REDIRECT = 'http://127.0.0.1:9/login/sso';
const SECRET = 'a-secret-of-the-client';
const KIM = { sub: 'id-kim', preferred_username: 'kim' };
let server: IdentityProvider;
beforeAll(async () => {
  server = await startIdentityProvider('seqpanel', SECRET, REDIRECT);
});
afterAll(() => server.close());

/** Returns the code of the rejection and the log's messages. */
async function attempt(
  { at = server, clientSecret = SECRET } = {},
  meanwhile?: () => Promise<void>,
): Promise<{ code: string; said: string }> {
  let said = '';
  const log = pino({}, { write: (line) => (said += (JSON.parse(line) as { msg: string }).msg) });
  const settings = {
    issuer: at.issuer,
    clientId: 'seqpanel',
    name: 'Lab',
    usernameClaim: 'preferred_username',
    allowed: undefined,
    redirectUri: REDIRECT,
  };
  const provider = createProvider({ ...settings, clientSecret }, log);
  try {
    const { location, flow } = await provider.begin();
    const { search } = await at.logIn(location, KIM);
    await meanwhile?.();
    return { code: (await provider.finish(search, flow)).username ?? '', said };
  } catch (error) {
    return { code: (error as { code: string }).code, said };
  }
}

test('a provider that accepts everything lets the person in, and nothing is logged', async () => {
  expect(await attempt()).toEqual({ code: 'kim', said: '' });
});

test('a secret that the provider rejects is reported as a problem of the settings', async () => {
  const { code, said } = await attempt({ clientSecret: 'another' });
  expect(code).toBe('sso_misconfigured');
  expect(said).toContain(`${server.issuer.href} cannot be used: it rejects this client`);
  expect(said).toContain('oidc.existingSecret');
});

test('a provider that disappears during a login, and a missing one, are reported as unavailable', async () => {
  const brief = await startIdentityProvider('seqpanel', SECRET, REDIRECT);
  for (const meanwhile of [brief.close, undefined]) {
    const { code, said } = await attempt({ at: brief }, meanwhile);
    expect(code).toBe('sso_unavailable');
    expect(said).toContain(`${brief.issuer.href} cannot be used: it cannot be reached (`);
  }
});
