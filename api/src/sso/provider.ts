/** The OpenID Connect provider: authorization code flow with PKCE, state and nonce (RFC 9700 2.1.1). */
import type { Logger } from 'pino';
import { AppError, Unauthorized } from '../errors.ts';
import type { OidcSettings } from '../session/sign-in-settings.ts';
import { connectionTrouble } from '../session/sign-in-trouble.ts';
import type { Flow } from './flow.ts';
import type { SsoPerson } from './sso-user.ts';

export interface Provider {
  /** Returns the redirect address and the state to keep until the browser returns. */
  begin(): Promise<{ location: string; flow: Flow }>;
  /**
   * Returns the person from the query of the provider's redirect. Throws Unauthorized when the login is refused,
   * `sso_unavailable` when the provider does not answer, `sso_misconfigured` when it rejects our client.
   */
  finish(query: string, flow: Flow): Promise<SsoPerson>;
}

export function createProvider(settings: OidcSettings, log: Logger): Provider {
  let discovered: Promise<import('openid-client').Configuration> | undefined;
  const cannotBeUsed = (err: unknown, trouble: string): void =>
    log.error({ err }, `The OpenID Connect provider ${settings.issuer.href} cannot be used: ${trouble}`);
  const load = () => import('openid-client'); // on the first login, so that an idle process does without it

  async function configuration() {
    const oidc = await load();
    // Retries the discovery with the next login after a failure.
    discovered ??= oidc
      .discovery(settings.issuer, settings.clientId, settings.clientSecret, undefined, {
        ...(settings.issuer.protocol === 'http:' && { execute: [oidc.allowInsecureRequests] }),
      })
      .catch((err) => {
        discovered = undefined;
        cannotBeUsed(
          err,
          connectionTrouble(err) ?? `${(err as Error).message}: check SEQPANEL_OIDC_ISSUER (oidc.issuer)`,
        );
        throw new AppError(502, 'sso_unavailable');
      });
    return { oidc, config: await discovered };
  }

  return {
    begin: async () => {
      const { oidc, config } = await configuration();
      const flow = {
        state: oidc.randomState(),
        nonce: oidc.randomNonce(),
        verifier: oidc.randomPKCECodeVerifier(),
      };
      const location = oidc.buildAuthorizationUrl(config, {
        redirect_uri: settings.redirectUri,
        scope: 'openid profile email',
        state: flow.state,
        nonce: flow.nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(flow.verifier),
        code_challenge_method: 'S256',
      });
      return { location: location.href, flow };
    },
    finish: async (query, { state, nonce, verifier }) => {
      const { oidc, config } = await configuration();
      const url = new URL(settings.redirectUri);
      url.search = query;
      const checks = {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      };
      const tokens = await oidc.authorizationCodeGrant(config, url, checks).catch((err) => {
        if (refusesClient(err)) {
          cannotBeUsed(
            err,
            'it rejects this client: check SEQPANEL_OIDC_CLIENT_ID and its secret (oidc.clientId, oidc.existingSecret)',
          );
          throw new AppError(500, 'sso_misconfigured');
        }
        const trouble = connectionTrouble(err);
        if (trouble) {
          cannotBeUsed(err, trouble);
          throw new AppError(502, 'sso_unavailable');
        }
        log.warn({ err }, 'login through the provider refused');
        throw new Unauthorized('sso_failed');
      });
      const claims = tokens.claims()!;
      const wanted = [settings.usernameClaim, ...(settings.allowed ? [settings.allowed.claim] : [])];
      const isWhole = wanted.every((claim) => claims[claim] !== undefined);
      const more = !isWhole && (await userInfo(tokens.access_token, claims.sub));
      const all: Record<string, unknown> = { ...more, ...claims };
      const text = (name: string) => (typeof all[name] === 'string' ? all[name] : '');
      return {
        issuer: claims.iss,
        subject: claims.sub,
        username: text(settings.usernameClaim) || undefined,
        firstName: text('given_name'),
        lastName: text('family_name'),
        email: text('email'),
        isAllowed: isAllowed(settings.allowed, all),
      };

      /** Many providers return profile claims here and not in the id token. */
      async function userInfo(accessToken: string, subject: string): Promise<Record<string, unknown>> {
        if (!config.serverMetadata().userinfo_endpoint) return {};
        return { ...(await oidc.fetchUserInfo(config, accessToken, subject).catch(() => ({}))) };
      }
    },
  };
}

/** Whether the claim equals or contains one of the values. */
export function isAllowed(allowed: OidcSettings['allowed'], claims: Readonly<Record<string, unknown>>): boolean {
  if (!allowed) return true;
  return [claims[allowed.claim]].flat().some((value) => allowed.values.includes(value as string));
}

/** Whether the provider rejects the client's id or secret (RFC 6749 5.2). */
function refusesClient(error: unknown): boolean {
  const { error: said, status } = error as { error?: unknown; status?: unknown };
  return said === 'invalid_client' || said === 'unauthorized_client' || status === 401;
}
