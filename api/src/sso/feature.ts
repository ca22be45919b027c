/** Login through an OpenID Connect provider; it ends in the same session as a login by password. */
import { NotFound, Unauthorized } from '../errors.ts';
import type { Deps, Feature } from '../feature.ts';
import { openSessionFor } from '../session/login.ts';
import { sessionAnswer } from '../session/session-answer.ts';
import type { Tokens } from '../session/tokens.ts';
import { createFlowSeal, FLOW_COOKIE, flowCookie, readCookie } from './flow.ts';
import { createProvider } from './provider.ts';
import { ssoUser } from './sso-user.ts';

export function createSso(deps: Deps, tokens: Tokens): Feature {
  const { db, config, now, log } = deps;
  const settings = config.signIn.oidc;
  const provider = settings && createProvider(settings, log);
  const flows = createFlowSeal(config.secret, now);
  const secure = settings?.redirectUri.startsWith('https:') ?? false;

  return {
    name: 'sso',
    routes: {
      getSignInOptions: { role: 'public', handle: async () => ({ sso: settings ? { name: settings.name } : null }) },
      beginSso: {
        role: 'public',
        handle: async ({ res }) => {
          if (!provider) throw new NotFound('sso_not_configured');
          const { location, flow } = await provider.begin();
          res.setHeader('Set-Cookie', flowCookie(await flows.seal(flow), secure));
          res.setHeader('Cache-Control', 'no-store');
          return { location };
        },
      },
      finishSso: {
        role: 'public',
        handle: async ({ req, res, body }) => {
          if (!provider) throw new NotFound('sso_not_configured');
          const sealed = readCookie(req.headers.cookie, FLOW_COOKIE);
          const flow = sealed && (await flows.open(sealed));
          if (!flow) throw new Unauthorized('sso_failed');
          res.setHeader('Set-Cookie', flowCookie('', secure)); // good for one attempt
          const userId = await ssoUser(db, await provider.finish(body.query, flow), now());
          return await sessionAnswer(deps, tokens, await openSessionFor(db, userId, now()), res);
        },
      },
    },
  };
}
