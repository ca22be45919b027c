/**
 * A complete api for tests: real Postgres, its own storage folder, answers validated against the document, a settable
 * clock.
 */
import { createHash, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Logger, pino } from 'pino';
import { Registry } from 'prom-client';
import { createApp } from '../src/app.ts';
import type { Config } from '../src/config.ts';
import type { Deps, Feature } from '../src/feature.ts';
import { createFeatures } from '../src/features.ts';
import type { BodyTimes } from '../src/http/body-limits.ts';
import { createHttpServer, type ServerLimits } from '../src/http/server.ts';
import { answerUpgrades } from '../src/http/upgrades.ts';
import { buildDocument, type OpenApiDocument, operationsOf } from '../src/openapi/document.ts';
import { createAuthenticate } from '../src/session/feature.ts';
import type { PasswordHasher } from '../src/session/passwords.ts';
import type { SignIn } from '../src/session/sign-in-settings.ts';
import { createTokens, type Tokens } from '../src/session/tokens.ts';
import { createReadSettings } from '../src/settings/read.ts';
import { claimStorage } from '../src/storage/storage-marker.ts';
import { MeasureReader } from '../src/system/measure-reader.ts';
import { createTestDatabase, type TestDatabase } from './postgres.ts';

export interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look at what they expect
  body: any;
  headers: Headers;
}

export interface TestUser {
  id: string;
  username: string;
  password: string;
  token: string;
  refresh: string;
}

export interface TestApi {
  url: string;
  deps: Deps;
  tokens: Tokens;
  features: readonly Feature[];
  document: OpenApiDocument;
  storageDir: string;
  /** Advances the clock of the api. */
  advance(seconds: number): void;
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  /** Inserts a user and opens a session. `groups`: whether the user manages each, by id. The first is the default. */
  addUser(options?: {
    staff?: boolean;
    groups?: Record<string, 'member' | 'admin'>;
    username?: string;
  }): Promise<TestUser>;
  addGroup(options?: { name?: string; allocatedBytes?: number | null }): Promise<string>;
  close(): Promise<void>;
}

export interface CallOptions {
  token?: string | undefined;
  body?: unknown;
  form?: FormData;
  headers?: Record<string, string>;
}

export interface TestApiOptions {
  database?: TestDatabase;
  storageDir?: string;
  /** More features, or replacements of product features with the same name. */
  features?: (deps: Deps, tokens: Tokens) => readonly Feature[];
  /** Whether to call `start` of the features. Default: false. */
  start?: boolean;
  firstAdminFile?: string;
  firstAdminPasswordFile?: string;
  demoAccount?: Partial<Config['demoAccount']>;
  /** Limit per address. No test comes near the default. */
  loginsPerMinute?: number;
  log?: Logger;
  consoleDir?: string;
  hasher?: PasswordHasher;
  signIn?: Partial<SignIn>;
  namespace?: string;
  bodyTimes?: BodyTimes;
  server?: ServerLimits;
  trustProxy?: number;
}

/** A fast hasher, because argon2id takes 20 ms or more and most tests do not test it. */
export const quickHasher: PasswordHasher = {
  hash: async (password) => createHash('sha256').update(password).digest('hex'),
  verify: async (hash, password) => hash === createHash('sha256').update(password).digest('hex'),
};

export const PASSWORD = 'Right-Horse7';

export async function startApi(options: TestApiOptions = {}): Promise<TestApi> {
  const database = options.database ?? (await createTestDatabase());
  const storageDir = options.storageDir ?? mkdtempSync(join(tmpdir(), 'seqpanel-api-'));
  await claimStorage(database.db, storageDir, new Date());
  let offset = 0;
  const now = () => new Date(Date.now() + offset);
  const config: Config = {
    dataDir: storageDir,
    storageDir,
    namespace: options.namespace ?? 'seqpanel',
    host: '127.0.0.1',
    port: 0,
    metricsHost: '127.0.0.1',
    metricsPort: 0,
    consoleDir: options.consoleDir,
    secret: Buffer.alloc(32, 7),
    firstAdmin: { leftIn: options.firstAdminFile, givenIn: options.firstAdminPasswordFile },
    demoAccount: { leftIn: undefined, givenIn: undefined, ...options.demoAccount },
    loginsPerMinute: options.loginsPerMinute ?? 100_000,
    pipelinesDir: join(import.meta.dirname, '..', '..', 'crds', 'pipelines'),
    logFormat: 'json',
    logLevel: 'silent',
    endWithStdin: false,
    // Tests set the client's address with X-Forwarded-For.
    trustProxy: options.trustProxy ?? 1,
    databaseUrl: database.url,
    databaseOwnerUrl: undefined,
    databasePool: 10,
    kubeconfig: undefined,
    signIn: { oidc: undefined, ldap: undefined, ...options.signIn },
  };
  const log = options.log ?? pino({ level: process.env['TEST_LOG'] ?? 'silent' });
  const tokens = await createTokens(config.secret, now);
  const authenticate = createAuthenticate({ db: database.db, now }, tokens);
  const settings = createReadSettings(database.db);
  const { db } = database;
  const metrics = new Registry();
  const measures = new MeasureReader(metrics, log);
  const deps: Deps = { config, db, backgroundDb: db, log, metrics, measures, now, authenticate, settings };
  const hasher = options.hasher ?? quickHasher;
  const document = buildDocument();
  const own = await createFeatures(deps, { tokens, hasher, document });
  const more = options.features?.(deps, tokens) ?? [];
  const features = [...own.filter((feature) => !more.some(({ name }) => name === feature.name)), ...more];
  features.push(standIns(document, features));
  const app = createApp(deps, features, {
    document,
    validateResponses: true,
    ...(options.bodyTimes && { bodyTimes: options.bodyTimes }),
  });
  const ending = new AbortController();
  if (options.start) for (const feature of features) await feature.start?.(ending.signal);
  const server = createHttpServer(app, options.server);
  answerUpgrades(server, features, log);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const api: TestApi = {
    url,
    deps,
    tokens,
    features,
    document,
    storageDir,
    advance: (seconds) => {
      offset += seconds * 1000;
    },
    call: (method, path, callOptions) => call(url, method, path, callOptions),
    addGroup: async ({ name = `group-${randomUUID().slice(0, 8)}`, allocatedBytes = null } = {}) => {
      const id = randomUUID();
      const row = { id, name, display_name: name, allocated_bytes: allocatedBytes, created: now() };
      await database.db('user_group').insert(row);
      return id;
    },
    addUser: async ({ staff = false, groups = {}, username = `user-${randomUUID().slice(0, 8)}` } = {}) => {
      const id = randomUUID();
      const times = { password_changed: now(), created: now() };
      await database
        .db('app_user')
        .insert({ id, username, is_staff: staff, password_hash: await hasher.hash(PASSWORD), ...times });
      for (const [i, [group, role]] of Object.entries(groups).entries()) {
        const row = { user_id: id, group_id: group, is_group_admin: role === 'admin', is_default: i === 0 };
        await database.db('membership').insert(row);
      }
      const { body } = await call(url, 'POST', '/auth/login', { body: { username, password: PASSWORD } });
      return { id, username, password: PASSWORD, token: body.token, refresh: body.refresh_token };
    },
    close: async () => {
      ending.abort();
      await Promise.all(features.map((feature) => feature.stop?.()));
      await stop(server);
      if (!options.database) await database.close();
      if (!options.storageDir) rmSync(storageDir, { recursive: true, force: true });
    },
  };
  return api;
}

async function call(url: string, method: string, path: string, options: CallOptions = {}): Promise<Answer> {
  const { token, body, form, headers = {} } = options;
  const answer = await fetch(new URL(path, url), {
    method,
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(form && { body: form }),
    signal: AbortSignal.timeout(30_000),
  });
  const text = await answer.text();
  const json = answer.headers.get('content-type')?.includes('json') && text !== '';
  return { status: answer.status, body: json ? JSON.parse(text) : text, headers: answer.headers };
}

async function stop(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

/** Adds handlers for the operations that a test's api lacks, so that it starts. */
export function standIns(document: OpenApiDocument, features: readonly Feature[]): Feature {
  const known = new Set(features.flatMap((feature) => Object.keys(feature.routes ?? {})));
  const routes: Record<string, unknown> = {};
  for (const { operation } of operationsOf(document)) {
    if (known.has(operation.operationId)) continue;
    routes[operation.operationId] = { role: operation['x-role'], handle: async () => undefined };
  }
  return { name: 'stand-ins', routes: routes as Feature['routes'] };
}
