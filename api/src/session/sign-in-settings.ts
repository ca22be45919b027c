/** Settings of a directory (LDAP) and an OpenID Connect provider. */
import { z } from 'zod';
import { readSecretFile } from '../db/database-settings.ts';

export const SIGN_IN_ENV = {
  /** URL of the console in browsers, to which the provider returns. */
  SEQPANEL_PUBLIC_URL: z.url({ protocol: /^https?$/ }).optional(),
  SEQPANEL_OIDC_ISSUER: z.url({ protocol: /^https?$/ }).optional(),
  SEQPANEL_OIDC_CLIENT_ID: z.string().optional(),
  SEQPANEL_OIDC_CLIENT_SECRET_FILE: z.string().optional(),
  SEQPANEL_OIDC_NAME: z.string().max(60).default('Single sign-on'),
  SEQPANEL_OIDC_USERNAME_CLAIM: z.string().default('preferred_username'),
  /**
   * A claim such as `groups` that must contain one of the comma-separated values. Without it all users of the provider
   * may log in.
   */
  SEQPANEL_OIDC_ALLOWED_CLAIM: z.string().optional(),
  SEQPANEL_OIDC_ALLOWED_VALUES: z.string().optional(),
  SEQPANEL_LDAP_URL: z
    .url({ protocol: /^ldaps?$/, error: 'must be an address such as ldaps://directory.example' })
    .optional(),
  /** `allow`: permits an ldap:// URL without StartTLS, which sends passwords in clear text. */
  SEQPANEL_LDAP_PLAINTEXT: z.enum(['refuse', 'allow']).default('refuse'),
  SEQPANEL_LDAP_BIND_DN: z.string().default(''),
  SEQPANEL_LDAP_BIND_PASSWORD_FILE: z.string().optional(),
  SEQPANEL_LDAP_SEARCH_BASE: z.string().default(''),
  SEQPANEL_LDAP_USER_ATTRIBUTE: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9-]*$/, 'must be the name of an attribute')
    .default('uid'),
};

export interface OidcSettings {
  issuer: URL;
  clientId: string;
  /** Undefined for a public client. */
  clientSecret: string | undefined;
  /** Label of the button on the login page. */
  name: string;
  usernameClaim: string;
  /** Claim values that allow a login. Undefined: all users of the provider may log in. */
  allowed: { claim: string; values: readonly string[] } | undefined;
  /** Page of the console that the provider returns to. */
  redirectUri: string;
}

export interface LdapSettings {
  url: string;
  /** Starts TLS before anything else is sent over ldap://. */
  startTls: boolean;
  /** DN that looks up users; '' is anonymous. */
  bindDn: string;
  bindPassword: string;
  searchBase: string;
  /** Attribute of the username. */
  userAttribute: string;
}

export interface SignIn {
  oidc: OidcSettings | undefined;
  ldap: LdapSettings | undefined;
}

/** Throws an Error that names the missing variable. */
export function readSignIn(env: z.output<z.ZodObject<typeof SIGN_IN_ENV>>): SignIn {
  return { oidc: readOidc(env), ldap: readLdap(env) };
}

function readOidc(env: z.output<z.ZodObject<typeof SIGN_IN_ENV>>): OidcSettings | undefined {
  if (!env.SEQPANEL_OIDC_ISSUER) return undefined;
  const issuer = new URL(env.SEQPANEL_OIDC_ISSUER);
  if (issuer.protocol !== 'https:' && !/^(localhost|127\.0\.0\.1|\[::1\])$/.test(issuer.hostname))
    throw new Error('SEQPANEL_OIDC_ISSUER: must begin with https://');
  const base = needed('SEQPANEL_PUBLIC_URL', env.SEQPANEL_PUBLIC_URL, 'SEQPANEL_OIDC_ISSUER');
  return {
    issuer,
    clientId: needed('SEQPANEL_OIDC_CLIENT_ID', env.SEQPANEL_OIDC_CLIENT_ID, 'SEQPANEL_OIDC_ISSUER'),
    clientSecret: readSecretFile('SEQPANEL_OIDC_CLIENT_SECRET_FILE', env.SEQPANEL_OIDC_CLIENT_SECRET_FILE),
    name: env.SEQPANEL_OIDC_NAME,
    usernameClaim: env.SEQPANEL_OIDC_USERNAME_CLAIM,
    allowed: readAllowed(env.SEQPANEL_OIDC_ALLOWED_CLAIM, env.SEQPANEL_OIDC_ALLOWED_VALUES),
    redirectUri: `${base.replace(/\/+$/, '')}/login/sso`,
  };
}

function readLdap(env: z.output<z.ZodObject<typeof SIGN_IN_ENV>>): LdapSettings | undefined {
  if (!env.SEQPANEL_LDAP_URL) return undefined;
  return {
    url: env.SEQPANEL_LDAP_URL,
    startTls: env.SEQPANEL_LDAP_URL.startsWith('ldap:') && env.SEQPANEL_LDAP_PLAINTEXT === 'refuse',
    bindDn: env.SEQPANEL_LDAP_BIND_DN,
    bindPassword: readSecretFile('SEQPANEL_LDAP_BIND_PASSWORD_FILE', env.SEQPANEL_LDAP_BIND_PASSWORD_FILE) ?? '',
    searchBase: needed('SEQPANEL_LDAP_SEARCH_BASE', env.SEQPANEL_LDAP_SEARCH_BASE, 'SEQPANEL_LDAP_URL'),
    userAttribute: env.SEQPANEL_LDAP_USER_ATTRIBUTE,
  };
}

/** Requires both parts, because half of the setting would admit everybody or nobody. */
function readAllowed(claim: string | undefined, values: string | undefined): OidcSettings['allowed'] {
  const list = (values ?? '').split(',').flatMap((value) => value.trim() || []);
  if (!claim && list.length === 0) return undefined;
  return {
    claim: needed('SEQPANEL_OIDC_ALLOWED_CLAIM', claim, 'SEQPANEL_OIDC_ALLOWED_VALUES'),
    values: needed('SEQPANEL_OIDC_ALLOWED_VALUES', list.length > 0 ? list : undefined, 'SEQPANEL_OIDC_ALLOWED_CLAIM'),
  };
}

function needed<T>(name: string, value: T | undefined, beside: string): T {
  if (!value) throw new Error(`${name}: required because ${beside} is set`);
  return value;
}
