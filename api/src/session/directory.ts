/** Passwords that a directory (LDAP) keeps: the user is looked up there, and the password tried by binding as them. */
import { randomUUID } from 'node:crypto';
import { isIP } from 'node:net';
import { Client, EqualityFilter, InvalidCredentialsError, NoSuchObjectError, ResultCodeError } from 'ldapts';
import type { Logger } from 'pino';
import { AppError } from '../errors.ts';
import type { LdapSettings } from './sign-in-settings.ts';
import { connectionTrouble } from './sign-in-trouble.ts';

/** Both throw `ldap_misconfigured` when the directory cannot be reached or refuses to look users up. */
export interface Directory {
  /** Whether the directory accepts the password for the one entry of that name. */
  verify(username: string, password: string): Promise<boolean>;
  /** Makes the same calls as `verify` for a name whose password is not for the directory, so that both take alike. */
  lookUp(username: string): Promise<void>;
}

const TIMEOUT_MS = 5000;
/**
 * Answers to the bind of a user (RFC 4511 A.1) that mean a wrong password or an entry that is locked, expired or
 * disabled: constraintViolation, invalidCredentials, insufficientAccessRights, unwillingToPerform.
 */
const REFUSES_USER: ReadonlySet<number> = new Set([19, 49, 50, 53]);

export function createDirectory(settings: LdapSettings, log: Logger): Directory {
  const misconfigured = (err: unknown): never => {
    const trouble = connectionTrouble(err) ?? settingTrouble(err) ?? (err as Error).message;
    log.error({ err }, `The LDAP server ${settings.url} cannot be used: ${trouble}`);
    throw new AppError(500, 'ldap_misconfigured');
  };
  /** Looks the user up and binds as them; a name without an entry is tried as one that does not exist. */
  const tryBind = async (username: string, password: string | undefined): Promise<boolean> => {
    const client = new Client({ url: settings.url, timeout: TIMEOUT_MS, connectTimeout: TIMEOUT_MS });
    try {
      const dn = await findUser(client, settings, username).catch(misconfigured);
      if (dn !== undefined && password !== undefined) await client.bind(dn, password);
      else await client.bind(`${settings.userAttribute}=${randomUUID()},${settings.searchBase}`, randomUUID());
      return true;
    } catch (error) {
      if (error instanceof ResultCodeError && REFUSES_USER.has(error.code)) return false;
      if (error instanceof AppError) throw error;
      return misconfigured(error);
    } finally {
      await client.unbind().catch(() => undefined);
    }
  };
  return {
    // A bind without a password is anonymous and always succeeds (RFC 4513 5.1.2).
    verify: async (username, password) => password !== '' && (await tryBind(username, password)),
    lookUp: async (username) => void (await tryBind(username, undefined)),
  };
}

/** The DN of the one entry; none or several are no user. */
async function findUser(client: Client, settings: LdapSettings, username: string): Promise<string | undefined> {
  if (settings.startTls) {
    await client.startTLS(tlsOptions(settings.url)).catch((error) => {
      throw error instanceof ResultCodeError ? new NoStartTls(error) : error;
    });
  }
  await client.bind(settings.bindDn, settings.bindPassword);
  const { searchEntries } = await client.search(settings.searchBase, {
    scope: 'sub',
    filter: new EqualityFilter({ attribute: settings.userAttribute, value: username }),
    attributes: ['1.1'], // none: only the DN is wanted (RFC 4511 4.5.1.8)
    sizeLimit: 2,
  });
  return searchEntries.length === 1 ? searchEntries[0]?.dn : undefined;
}

/** The certificate must be of the host of the URL; node compares it with `host`, or with `servername` where that is a name. */
function tlsOptions(url: string): { host: string; servername?: string } {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  return isIP(host) ? { host } : { host, servername: host };
}

class NoStartTls extends Error {
  constructor(cause: Error) {
    super('StartTLS refused', { cause });
  }
}

/** Which setting the server's refusal points at. */
function settingTrouble(error: unknown): string | undefined {
  if (error instanceof InvalidCredentialsError)
    return 'it refuses who looks users up: check SEQPANEL_LDAP_BIND_DN and its password (ldap.bindDn, ldap.existingSecret)';
  if (error instanceof NoSuchObjectError)
    return 'it has nothing at SEQPANEL_LDAP_SEARCH_BASE (ldap.searchBase), or shows it not to SEQPANEL_LDAP_BIND_DN';
  if (error instanceof NoStartTls)
    return (
      'it does not offer StartTLS: give an ldaps:// URL; SEQPANEL_LDAP_PLAINTEXT=allow (ldap.allowPlaintext) ' +
      'sends passwords in clear'
    );
  return undefined;
}
