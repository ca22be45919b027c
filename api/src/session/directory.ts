/** Passwords that a directory (LDAP) keeps: the user is looked up there, and the password tried by binding as them. */
import { Client, EqualityFilter, InvalidCredentialsError, NoSuchObjectError } from 'ldapts';
import type { Logger } from 'pino';
import { AppError } from '../errors.ts';
import type { LdapSettings } from './sign-in-settings.ts';
import { connectionTrouble } from './sign-in-trouble.ts';

export interface Directory {
  /**
   * Whether the directory takes the password for the one entry of that name. Throws `ldap_misconfigured` when it is not
   * configured, cannot be reached, or refuses to look the user up.
   */
  verify(username: string, password: string): Promise<boolean>;
}

const TIMEOUT_MS = 5000;

export function createDirectory(settings: LdapSettings | undefined, log: Logger): Directory {
  const misconfigured = (err: unknown): never => {
    const trouble = connectionTrouble(err) ?? settingTrouble(err) ?? (err as Error).message;
    log.error({ err }, `The LDAP server ${settings?.url ?? ''} cannot be used: ${trouble}`);
    throw new AppError(500, 'ldap_misconfigured');
  };
  return {
    verify: async (username, password) => {
      if (!settings) return misconfigured(new Error('SEQPANEL_LDAP_URL is not set'));
      if (password === '') return false; // a bind without a password is anonymous and always succeeds (RFC 4513 5.1.2)
      const client = new Client({ url: settings.url, timeout: TIMEOUT_MS, connectTimeout: TIMEOUT_MS });
      try {
        const dn = await findUser(client, settings, username).catch(misconfigured);
        if (dn === undefined) return false;
        await client.bind(dn, password);
        return true;
      } catch (error) {
        if (error instanceof InvalidCredentialsError) return false;
        if (error instanceof AppError) throw error;
        return misconfigured(error);
      } finally {
        await client.unbind().catch(() => undefined);
      }
    },
  };
}

/** The DN of the one entry; none or several are no user. */
async function findUser(client: Client, settings: LdapSettings, username: string): Promise<string | undefined> {
  await client.bind(settings.bindDn, settings.bindPassword);
  const { searchEntries } = await client.search(settings.searchBase, {
    scope: 'sub',
    filter: new EqualityFilter({ attribute: settings.userAttribute, value: username }),
    attributes: ['1.1'], // none: only the DN is wanted (RFC 4511 4.5.1.8)
    sizeLimit: 2,
  });
  return searchEntries.length === 1 ? searchEntries[0]?.dn : undefined;
}

/** Which setting the server's refusal points at. */
function settingTrouble(error: unknown): string | undefined {
  if (error instanceof InvalidCredentialsError)
    return 'it refuses who looks users up: check SEQPANEL_LDAP_BIND_DN and its password (ldap.bindDn, ldap.existingSecret)';
  if (error instanceof NoSuchObjectError)
    return 'it has nothing at SEQPANEL_LDAP_SEARCH_BASE (ldap.searchBase), or shows it not to SEQPANEL_LDAP_BIND_DN';
  return undefined;
}
