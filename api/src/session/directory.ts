/** Checks passwords with a directory (LDAP): looks up the user, then tries the password by binding as that user. */
import { randomUUID } from 'node:crypto';
import { isIP } from 'node:net';
import { Client, EqualityFilter, InvalidCredentialsError, NoSuchObjectError, ResultCodeError } from 'ldapts';
import type { Logger } from 'pino';
import { AppError } from '../errors.ts';
import type { LdapSettings } from './sign-in-settings.ts';
import { connectionTrouble } from './sign-in-trouble.ts';

/** Both methods throw `ldap_misconfigured` when the directory is unreachable or refuses the lookup. */
export interface Directory {
  /** Returns whether the directory accepts the password for the only entry of that name. */
  verify(username: string, password: string): Promise<boolean>;
  /** Makes the same calls as `verify` for a name that is not in the directory, so that both take equally long. */
  lookUp(username: string): Promise<void>;
}

const TIMEOUT_MS = 5000;
/**
 * Results of a user's bind (RFC 4511 A.1) for a wrong password or a locked, expired or disabled entry:
 * constraintViolation, invalidCredentials, insufficientAccessRights, unwillingToPerform.
 */
const REFUSES_USER: ReadonlySet<number> = new Set([19, 49, 50, 53]);

export function createDirectory(settings: LdapSettings, log: Logger): Directory {
  const misconfigured = (err: unknown): never => {
    const trouble = connectionTrouble(err) ?? settingTrouble(err) ?? (err as Error).message;
    log.error({ err }, `The LDAP server ${settings.url} cannot be used: ${trouble}`);
    throw new AppError(500, 'ldap_misconfigured');
  };
  /** Looks up the user and binds. Binds a name without an entry as a nonexistent DN, to take equally long. */
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
    // Rejects an empty password, because such a bind is anonymous and always succeeds (RFC 4513 5.1.2).
    verify: async (username, password) => password !== '' && (await tryBind(username, password)),
    lookUp: async (username) => void (await tryBind(username, undefined)),
  };
}

/** Returns the DN if exactly one entry matches, else undefined. */
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

/** The certificate must match the host of the URL. Node compares it with `host`, or with `servername` for a name. */
function tlsOptions(url: string): { host: string; servername?: string } {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  return isIP(host) ? { host } : { host, servername: host };
}

class NoStartTls extends Error {
  constructor(cause: Error) {
    super('StartTLS refused', { cause });
  }
}

/** Names the setting behind the server's refusal. */
function settingTrouble(error: unknown): string | undefined {
  if (error instanceof InvalidCredentialsError)
    return 'it rejects the bind DN: check SEQPANEL_LDAP_BIND_DN and its password (ldap.bindDn, ldap.existingSecret)';
  if (error instanceof NoSuchObjectError)
    return 'it has no entry SEQPANEL_LDAP_SEARCH_BASE (ldap.searchBase), or hides it from SEQPANEL_LDAP_BIND_DN';
  if (error instanceof NoStartTls)
    return (
      'it does not offer StartTLS: give an ldaps:// URL; SEQPANEL_LDAP_PLAINTEXT=allow (ldap.allowPlaintext) ' +
      'sends passwords in clear text'
    );
  return undefined;
}
