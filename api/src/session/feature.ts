/** Login, token verify and refresh, logout, profile and password. */
import { actorOf } from '../audit/write-audit.ts';
import { withTransaction } from '../db/transaction.ts';
import { Unauthorized } from '../errors.ts';
import type { Call, Deps, Feature } from '../feature.ts';
import { bindLog } from '../http/bind-log.ts';
import type { Authenticate } from '../http/caller.ts';
import { clientAddress } from '../http/client-address.ts';
import { requestId } from '../http/error-answer.ts';
import { createFailureRecorder, type Origin, recordAuthEvent } from './auth-events.ts';
import { changePassword } from './change-password.ts';
import { ensureDemoAccount } from './demo-account.ts';
import { createDirectory } from './directory.ts';
import { ensureFirstAdmin, FIRST_ADMIN, removeFirstAdminFile } from './first-admin.ts';
import { sweepAttempts } from './lockout.ts';
import { logIn } from './login.ts';
import type { PasswordHasher } from './passwords.ts';
import { readProfile, saveProfile } from './profile.ts';
import { rotate } from './refresh-tokens.ts';
import { createRunningCalls } from './running-calls.ts';
import { sessionAnswer } from './session-answer.ts';
import { endSession, markActive, readCaller, sweepSessions } from './session-store.ts';
import type { Throttle } from './throttle.ts';
import type { Tokens } from './tokens.ts';

const SWEEP_MS = 60_000;

/** Looks up the caller on every call, so that a disabled account or ended session takes effect at once. */
export const createAuthenticate =
  ({ db, now }: Pick<Deps, 'db' | 'now'>, tokens: Tokens): Authenticate =>
  async (token) => {
    const claims = await tokens.verifyAccess(token);
    return claims && (await readCaller(db, claims.userId, claims.sessionId, now()));
  };

/** Source of a call, for its audit entries. */
export const originOf = (req: Call['req']): Origin => ({ requestId: requestId(req), address: clientAddress(req) });

export function createSessions(deps: Deps, tokens: Tokens, hasher: PasswordHasher, throttle: Throttle): Feature {
  const { db, config, now, authenticate, log } = deps;
  const directory = config.signIn.ldap && createDirectory(config.signIn.ldap, log);
  const login = { db, hasher, directory, recordFailure: createFailureRecorder(db, now), now };
  const profileOf = (userId: string) => readProfile(db, userId, now());
  const running = createRunningCalls();
  let sweeper: NodeJS.Timeout | undefined;

  async function makeAccounts(): Promise<void> {
    const { firstAdmin, demoAccount } = config;
    if (await ensureFirstAdmin(db, hasher, firstAdmin, now())) {
      const file = firstAdmin.givenIn ?? firstAdmin.leftIn;
      log.info({ file }, 'first administrator created, one-time password written');
    }
    try {
      const state = await ensureDemoAccount(db, hasher, demoAccount, now());
      if (state !== 'absent') log.info({ state }, 'demo account');
    } catch (err) {
      log.error({ err }, 'demo account disabled');
    }
  }

  async function sweep(): Promise<void> {
    try {
      await markActive(db, running.sessions(), now());
      await Promise.all([sweepAttempts(db, now()), sweepSessions(db, now())]);
    } catch (err) {
      log.warn({ err }, 'old sessions not removed');
    }
  }

  return {
    name: 'sessions',
    start: async (signal) => {
      await makeAccounts();
      sweeper = setInterval(() => void sweep(), SWEEP_MS).unref();
      signal.addEventListener('abort', () => clearInterval(sweeper), { once: true });
    },
    admitted: ({ sessionId }, res) => running.watch(sessionId, res),
    routes: {
      login: {
        role: 'public',
        handle: async ({ body, req, res }) => {
          throttle.login(req);
          const identified = (user: string) => bindLog(req, res, { user });
          const session = await logIn(login, body.username, body.password, originOf(req), identified);
          return await sessionAnswer(deps, tokens, session, res);
        },
      },
      verifyToken: {
        role: 'public',
        handle: async ({ body }) => {
          if (!(await authenticate(body.token))) throw new Unauthorized('token_invalid');
          return { valid: true };
        },
      },
      refreshToken: {
        role: 'public',
        handle: async ({ body, req, res }) => {
          throttle.refresh(req);
          const { userId, sessionId, refreshToken } = await rotate(db, body.refresh, originOf(req), now());
          const caller = await readCaller(db, userId, sessionId, now());
          if (!caller) throw new Unauthorized('token_invalid');
          bindLog(req, res, { user: caller.username });
          res.setHeader('Cache-Control', 'no-store');
          return { access: await tokens.signAccess({ userId, sessionId }), refresh: refreshToken };
        },
      },
      logout: {
        role: 'user',
        // Ends the caller's session, to which the token of the body also belongs, whatever the body says.
        handle: async (call) =>
          await withTransaction(db, async (trx) => {
            const { sessionId } = call.caller;
            await endSession(trx, sessionId, 'logout', now());
            await recordAuthEvent(trx, actorOf(call), { action: 'logout', outcome: 'success', sessionId }, now());
          }),
      },
      getProfile: { role: 'user', handle: ({ caller }) => profileOf(caller.userId) },
      updateProfile: {
        role: 'user',
        handle: async (call) => {
          await saveProfile(db, call.caller.userId, call.body, actorOf(call), now());
          return await profileOf(call.caller.userId);
        },
      },
      changePassword: {
        role: 'user',
        handle: async (call) => {
          throttle.login(call.req);
          const actor = { ...actorOf(call), ...originOf(call.req) };
          await changePassword(login, call.caller, call.body, actor);
          if (call.caller.username === FIRST_ADMIN) await removeFirstAdminFile(config.firstAdmin.leftIn);
        },
      },
    },
  };
}
