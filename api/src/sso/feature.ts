/** Login through an OpenID Connect provider. It opens the same kind of session as a password login. */
import { NotFound, Unauthorized } from '../errors.ts';
import type { Deps, Feature } from '../feature.ts';
import { bindLog } from '../http/bind-log.ts';
import { originOf } from '../session/feature.ts';
import { openSessionFor } from '../session/login.ts';
import { sessionAnswer } from '../session/session-answer.ts';
import type { Throttle } from '../session/throttle.ts';
import type { Tokens } from '../session/tokens.ts';
import { createFlowSeal, flowCookie, flowCookieName, readCookie } from './flow.ts';
import { createProvider } from './provider.ts';
import { ssoUser } from './sso-user.ts';

export function createSso(deps: Deps, tokens: Tokens, throttle: Throttle): Feature {
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
        handle: async ({ req, res }) => {
          throttle.login(req);
          if (!provider) throw new NotFound('sso_not_configured');
          const { location, flow } = await provider.begin();
          res.setHeader('Set-Cookie', flowCookie(await flows.seal(flow), secure));
          res.setHeader('Cache-Control', 'no-store');
          return { location };
        },
      },
      finishSso: {
        role: 'public',
        handle: async ({ req, res, body, log: requestLog }) => {
          throttle.login(req);
          if (!provider) throw new NotFound('sso_not_configured');
          const sealed = readCookie(req.headers.cookie, flowCookieName(secure));
          const flow = sealed && (await flows.open(sealed));
          if (!flow) throw new Unauthorized('sso_failed');
          res.setHeader('Set-Cookie', flowCookie('', secure)); // valid for one attempt
          const userId = await ssoUser(db, await provider.finish(body.query, flow), requestLog, now());
          const session = await openSessionFor(db, userId, originOf(req), now());
          const answer = await sessionAnswer(deps, tokens, session, res);
          bindLog(req, res, { user: answer.profile.username });
          return answer;
        },
      },
    },
  };
}
