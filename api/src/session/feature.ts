/** Login, token verify and refresh, logout, profile and password (SPEC 7, user service). */
import { actorOf } from '../audit/write-audit.ts';
import { Unauthorized } from '../errors.ts';
import type { Deps, Feature } from '../feature.ts';
import type { Authenticate } from './caller.ts';
import { createDirectory } from './directory.ts';
import { ensureFirstAdmin, FIRST_ADMIN, removeFirstAdminFile } from './first-admin.ts';
import { sweepFailures } from './lockout.ts';
import { changePassword, logIn } from './login.ts';
import type { PasswordHasher } from './passwords.ts';
import { readProfile, saveProfile } from './profile.ts';
import { sessionAnswer } from './session-answer.ts';
import { endSession, readCaller, rotate, sweepSessions } from './session-store.ts';
import type { Tokens } from './tokens.ts';

const SWEEP_MS = 3_600_000;

/** Who is behind an access token, looked up on every call: a disabled account or an ended session counts at once. */
export const createAuthenticate =
  ({ db, now }: Pick<Deps, 'db' | 'now'>, tokens: Tokens): Authenticate =>
  async (token) => {
    const claims = await tokens.verifyAccess(token);
    return claims && (await readCaller(db, claims.userId, claims.sessionId, now()));
  };

export function createSessions(deps: Deps, tokens: Tokens, hasher: PasswordHasher): Feature {
  const { db, config, settings, now, authenticate, log } = deps;
  const login = { db, hasher, directory: createDirectory(config.signIn.ldap, log), now };
  const profileOf = (userId: string) => readProfile(db, settings, userId, now());
  let sweeper: NodeJS.Timeout | undefined;

  return {
    name: 'sessions',
    start: async (signal) => {
      const { firstAdminFile: leftIn, firstAdminPasswordFile: givenIn } = config;
      if (await ensureFirstAdmin(db, hasher, { leftIn, givenIn }, now())) {
        log.info({ file: givenIn ?? leftIn }, 'The first administrator was made; the password is in this file');
      }
      const sweep = () =>
        Promise.all([sweepFailures(db, now()), sweepSessions(db, now())]).catch((err) =>
          log.warn({ err }, 'Old sessions could not be removed'),
        );
      sweeper = setInterval(sweep, SWEEP_MS).unref();
      signal.addEventListener('abort', () => clearInterval(sweeper), { once: true });
    },
    routes: {
      login: {
        role: 'public',
        handle: async ({ body, res }) => {
          return await sessionAnswer(deps, tokens, await logIn(login, body.username, body.password), res);
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
        handle: async ({ body, res }) => {
          const { userId, sessionId, refreshToken } = await rotate(db, body.refresh, now());
          if (!(await readCaller(db, userId, sessionId, now()))) throw new Unauthorized('token_invalid');
          res.setHeader('Cache-Control', 'no-store');
          return { access: await tokens.signAccess({ userId, sessionId }), refresh: refreshToken };
        },
      },
      logout: {
        role: 'user',
        // The body's token is of this same session; that session ends whatever the body says.
        handle: async ({ caller }) => await endSession(db, caller.sessionId, 'logout', now()),
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
          await changePassword(login, call.caller, call.body, actorOf(call));
          if (call.caller.username === FIRST_ADMIN) await removeFirstAdminFile(config.firstAdminFile);
        },
      },
    },
  };
}
