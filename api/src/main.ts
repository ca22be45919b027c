/** Runs the api: reads settings, connects to the database, starts features and server, and shuts down in order. */
import './memory.ts';
import { once } from 'node:events';
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { createApp } from './app.ts';
import { readConfig } from './config.ts';
import { BACKGROUND_TIMEOUTS, openDatabase } from './db/database.ts';
import { prepareSchema } from './db/prepare-schema.ts';
import type { Deps } from './feature.ts';
import { createFeatures } from './features.ts';
import { createHttpServer } from './http/server.ts';
import { answerUpgrades } from './http/upgrades.ts';
import { createLog } from './log.ts';
import { buildDocument } from './openapi/document.ts';
import { createAuthenticate } from './session/feature.ts';
import { createPasswordHasher } from './session/passwords.ts';
import { createTokens } from './session/tokens.ts';
import { createReadSettings } from './settings/read.ts';
import { MeasureReader } from './system/measure-reader.ts';
import { exitOnUncaught } from './uncaught.ts';

/**
 * Time after a signal during which answers still close kept-alive connections, so that clients reconnect to another
 * replica.
 */
const LEAVE_MS = 2_000;
/** Time for open requests to finish after that. The chart's grace period is 30 s in total. */
const DRAIN_MS = 20_000;

async function main(): Promise<void> {
  // Makes files on storage writable for their group, because the pods of that group read and replace them.
  process.umask(0o002);
  const config = readConfig(process.env);
  const log = createLog(config);
  const metrics = new Registry();
  const measures = new MeasureReader(metrics, log);
  exitOnUncaught({ log, metrics, folder: config.dataDir });
  await prepareSchema(config, log);
  const db = openDatabase(config.databaseUrl, log, { max: config.databasePool });
  const backgroundDb = openDatabase(config.databaseUrl, log, {
    max: Math.ceil(config.databasePool / 2),
    timeouts: BACKGROUND_TIMEOUTS,
  });
  const now = () => new Date();
  const tokens = await createTokens(config.secret, now);
  const authenticate = createAuthenticate({ db, now }, tokens);
  const deps: Deps = {
    config,
    db,
    backgroundDb,
    log,
    metrics,
    measures,
    now,
    authenticate,
    settings: createReadSettings(db),
  };
  const document = buildDocument();
  const features = await createFeatures(deps, { tokens, hasher: createPasswordHasher(), document });
  const app = createApp(deps, features, { document });

  const server = createHttpServer(app);
  answerUpgrades(server, features, log);
  let leaving = false;
  server.prependListener('request', (_req, res) => {
    if (leaving) res.setHeader('Connection', 'close');
  });
  const ending = new AbortController();
  for (const feature of features) await feature.start?.(ending.signal);
  server.listen(config.port, config.host);
  await once(server, 'listening');
  log.info({ address: server.address() }, 'listening');

  const end = async (reason: string): Promise<void> => {
    if (leaving) return;
    leaving = true;
    log.info({ reason }, 'shutting down');
    // A child of the supervisor is the only replica, so no client can go elsewhere.
    if (!config.endWithStdin) await wait(LEAVE_MS);
    // On a busy machine the timer is late and requests wait in their sockets. Reads them before kept-alive connections
    // close.
    await turn();
    ending.abort();
    setTimeout(() => server.closeAllConnections(), DRAIN_MS).unref();
    // Listens before the features stop, because the event may fire during that time.
    const closed = once(server, 'close');
    server.close();
    server.closeIdleConnections();
    await Promise.allSettled(features.map((feature) => feature.stop?.()));
    await closed.catch(() => undefined);
    await Promise.all([db.destroy(), backgroundDb.destroy()]);
    process.exit(0);
  };
  process.once('SIGTERM', () => void end('SIGTERM'));
  process.once('SIGINT', () => void end('SIGINT'));
  if (config.endWithStdin) process.stdin.resume().once('close', () => void end('the parent has gone'));
}

main().catch((error: Error) => {
  process.stderr.write(`seqpanel api: ${error.message}\n${error.stack ?? ''}\n`);
  process.exit(1);
});
