/** Settings of the ways to log in beside a password of our own: a directory (LDAP) and an OpenID Connect provider. */
import { z } from 'zod';
import { readSecretFile } from '../db/database-settings.ts';

export const SIGN_IN_ENV = {
  /** Where browsers reach the console; the provider sends them back there. */
  SEQPANEL_PUBLIC_URL: z.url({ protocol: /^https?$/ }).optional(),
  SEQPANEL_OIDC_ISSUER: z.url({ protocol: /^https?$/ }).optional(),
  SEQPANEL_OIDC_CLIENT_ID: z.string().optional(),
  SEQPANEL_OIDC_CLIENT_SECRET_FILE: z.string().optional(),
  SEQPANEL_OIDC_NAME: z.string().max(60).default('Single sign-on'),
  SEQPANEL_OIDC_USERNAME_CLAIM: z.string().default('preferred_username'),
  SEQPANEL_LDAP_URL: z
    .url({ protocol: /^ldaps?$/, error: 'must be an address such as ldaps://directory.example' })
    .optional(),
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
  /** Absent for a public client. */
  clientSecret: string | undefined;
  /** Text of the button on the login page. */
  name: string;
  usernameClaim: string;
  /** The console's page that the provider returns to. */
  redirectUri: string;
}

export interface LdapSettings {
  url: string;
  /** Who looks users up; '' is anonymous. */
  bindDn: string;
  bindPassword: string;
  searchBase: string;
  /** The attribute that holds the username. */
  userAttribute: string;
}

export interface SignIn {
  oidc: OidcSettings | undefined;
  ldap: LdapSettings | undefined;
}

/** Throws an Error that names the variable which is missing beside those that are set. */
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
    redirectUri: `${base.replace(/\/+$/, '')}/login/sso`,
  };
}

function readLdap(env: z.output<z.ZodObject<typeof SIGN_IN_ENV>>): LdapSettings | undefined {
  if (!env.SEQPANEL_LDAP_URL) return undefined;
  return {
    url: env.SEQPANEL_LDAP_URL,
    bindDn: env.SEQPANEL_LDAP_BIND_DN,
    bindPassword: readSecretFile('SEQPANEL_LDAP_BIND_PASSWORD_FILE', env.SEQPANEL_LDAP_BIND_PASSWORD_FILE) ?? '',
    searchBase: needed('SEQPANEL_LDAP_SEARCH_BASE', env.SEQPANEL_LDAP_SEARCH_BASE, 'SEQPANEL_LDAP_URL'),
    userAttribute: env.SEQPANEL_LDAP_USER_ATTRIBUTE,
  };
}

function needed(name: string, value: string | undefined, beside: string): string {
  if (!value) throw new Error(`${name}: needed because ${beside} is set`);
  return value;
}
