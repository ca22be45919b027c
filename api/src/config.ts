/** Reads the settings of the process from the environment and checks each. An error names its variable. */
import { join, resolve } from 'node:path';
import { portNumber, readSettings, wholeNumber, withoutEmpty } from '@seqpanel/crds/settings.ts';
import { z } from 'zod';
import { DATABASE_ENV, type DatabaseSettings, databaseSettings, readSecretFile } from './db/database-settings.ts';
import type { PasswordFiles } from './session/password-file.ts';
import { readSignIn, SIGN_IN_ENV, type SignIn } from './session/sign-in-settings.ts';

/** `*` means every address, IPv4 and IPv6. */
const listenHost = z
  .string()
  .default('127.0.0.1')
  .transform((host) => (host === '*' ? undefined : host));

const Env = z.object({
  SEQPANEL_DATA: z.string().default('./data'),
  SEQPANEL_STORAGE: z.string().optional(),
  SEQPANEL_NAMESPACE: z.string().default('seqpanel'),
  SEQPANEL_HOST: listenHost,
  SEQPANEL_PORT: portNumber.default(8080),
  /** Separate from SEQPANEL_HOST, where users reach the console. */
  SEQPANEL_METRICS_HOST: listenHost,
  SEQPANEL_METRICS_PORT: portNumber.default(9091),
  SEQPANEL_CONSOLE_DIR: z.string().optional(),
  SEQPANEL_SECRET_FILE: z.string().optional(),
  SEQPANEL_FIRST_ADMIN_FILE: z.string().optional(),
  SEQPANEL_FIRST_ADMIN_PASSWORD_FILE: z.string().optional(),
  SEQPANEL_DEMO_ACCOUNT_FILE: z.string().optional(),
  SEQPANEL_DEMO_ACCOUNT_PASSWORD_FILE: z.string().optional(),
  /** Limit of each client address on logins, password changes and similar calls. */
  SEQPANEL_LOGINS_PER_MINUTE: wholeNumber(1, 100_000).default(60),
  SEQPANEL_PIPELINES_DIR: z.string().optional(),
  SEQPANEL_LOG_FORMAT: z.enum(['json', 'pretty']).default('json'),
  SEQPANEL_LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
  SEQPANEL_PARENT: z.enum(['stdin', 'none']).default('none'),
  SEQPANEL_TRUST_PROXY: wholeNumber(0, 5).default(0),
  ...DATABASE_ENV,
  ...SIGN_IN_ENV,
  KUBECONFIG: z.string().optional(),
});

export interface Config extends DatabaseSettings {
  /** Folder for all files outside storage. */
  dataDir: string;
  /** Absolute path of the storage root. */
  storageDir: string;
  namespace: string;
  /** Undefined means every address. */
  host: string | undefined;
  port: number;
  /** Address of /metrics and of the detailed /readyz. Undefined means every address. */
  metricsHost: string | undefined;
  /** 0 means any free port. */
  metricsPort: number;
  /** Folder of the built console. Undefined: no console is served. */
  consoleDir: string | undefined;
  /** Key of at least 32 bytes that signs access tokens and file tokens. */
  secret: Buffer;
  /** Files to write the first administrator's one-time password to, or to read it from. */
  firstAdmin: PasswordFiles;
  /** Files to write the demo account's password to, or to read it from. Without either there is no demo account. */
  demoAccount: PasswordFiles;
  /** Limit of each client address. */
  loginsPerMinute: number;
  /** Folder of the manifests that the pipeline scan offers. */
  pipelinesDir: string;
  logFormat: 'json' | 'pretty';
  logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  /** True: exits when stdin closes, as a child of the supervisor does. */
  endWithStdin: boolean;
  /** Number of proxies in front whose X-Forwarded-For is trusted. */
  trustProxy: number;
  /** Ways to log in other than with a local password. */
  signIn: SignIn;
  kubeconfig: string | undefined;
}

/** Throws an Error that names the variable and its problem. */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const value = readSettings(Env, withoutEmpty(env));
  const dataDir = resolve(value.SEQPANEL_DATA);
  return {
    dataDir,
    storageDir: resolve(value.SEQPANEL_STORAGE ?? join(dataDir, 'storage')),
    namespace: value.SEQPANEL_NAMESPACE,
    host: value.SEQPANEL_HOST,
    port: value.SEQPANEL_PORT,
    metricsHost: value.SEQPANEL_METRICS_HOST,
    metricsPort: value.SEQPANEL_METRICS_PORT,
    consoleDir: value.SEQPANEL_CONSOLE_DIR && resolve(value.SEQPANEL_CONSOLE_DIR),
    secret: readSecret(value.SEQPANEL_SECRET_FILE),
    firstAdmin: { leftIn: value.SEQPANEL_FIRST_ADMIN_FILE, givenIn: value.SEQPANEL_FIRST_ADMIN_PASSWORD_FILE },
    demoAccount: { leftIn: value.SEQPANEL_DEMO_ACCOUNT_FILE, givenIn: value.SEQPANEL_DEMO_ACCOUNT_PASSWORD_FILE },
    loginsPerMinute: value.SEQPANEL_LOGINS_PER_MINUTE,
    pipelinesDir: value.SEQPANEL_PIPELINES_DIR ?? join(import.meta.dirname, '..', '..', 'crds', 'pipelines'),
    logFormat: value.SEQPANEL_LOG_FORMAT,
    logLevel: value.SEQPANEL_LOG_LEVEL,
    endWithStdin: value.SEQPANEL_PARENT === 'stdin',
    trustProxy: value.SEQPANEL_TRUST_PROXY,
    ...databaseSettings(value),
    signIn: readSignIn(value),
    kubeconfig: value.KUBECONFIG,
  };
}

function readSecret(file: string | undefined): Buffer {
  const text = readSecretFile('SEQPANEL_SECRET_FILE', file);
  if (text === undefined)
    throw new Error('SEQPANEL_SECRET_FILE: required, a file with at least 32 random bytes as hex');
  if (!/^[0-9a-f]{64,}$/i.test(text))
    throw new Error(`SEQPANEL_SECRET_FILE: ${file} must hold at least 32 bytes as hex`);
  return Buffer.from(text, 'hex');
}
