/**
 * Readiness of the api, which only the database decides. Results, uploads and settings work without the Kubernetes API,
 * so its failures are reported and measured, but take no replica out of the Service.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { Gauge } from 'prom-client';
import type { Deps, Feature } from '../feature.ts';

export interface Readiness {
  ready: boolean;
  /** By part: `ok` or the problem. For operators only, because a reason may contain addresses. */
  parts: Record<string, string>;
}

/** Must be less than the 5 s of the chart's probe. */
const TIMEOUT_MS = 4_000;
/** Time for which all callers get the same answer, because the call is public. */
const FRESH_MS = 1_000;

export function createReadiness(
  { backgroundDb: db, metrics }: Pick<Deps, 'backgroundDb' | 'metrics'>,
  features: () => readonly Feature[],
  timeoutMs = TIMEOUT_MS,
): () => Promise<Readiness> {
  const gauge = new Gauge({
    name: 'seqpanel_api_part_ready',
    help: 'Whether a part of the api works: 1 or 0. Only the database decides whether the api is ready.',
    labelNames: ['part'],
    registers: [metrics],
    async collect() {
      await current();
    },
  });

  async function read(): Promise<Readiness> {
    const checks: [string, () => Promise<string | undefined>][] = [
      ['database', () => db.raw('SELECT 1').then(() => undefined)],
      ...features()
        .filter((feature) => feature.ready)
        .map(({ name, ready }): [string, () => Promise<string | undefined>] => [name, ready!]),
    ];
    const reasons = await Promise.all(checks.map(([, check]) => reasonOf(check, timeoutMs)));
    const parts = Object.fromEntries(checks.map(([name], i) => [name, reasons[i] ?? 'ok']));
    for (const [part, reason] of Object.entries(parts)) gauge.set({ part }, reason === 'ok' ? 1 : 0);
    return { ready: parts['database'] === 'ok', parts };
  }

  let readUntil = 0;
  let last: Promise<Readiness> | undefined;
  const current = (): Promise<Readiness> => {
    if (!last || performance.now() > readUntil) {
      readUntil = Number.POSITIVE_INFINITY; // allows one check at a time
      last = read().finally(() => {
        readUntil = performance.now() + FRESH_MS;
      });
    }
    return last;
  };
  return current;
}

async function reasonOf(check: () => Promise<string | undefined>, timeoutMs: number): Promise<string | undefined> {
  const timeout = new AbortController();
  try {
    return await Promise.race([
      Promise.resolve().then(check),
      wait(timeoutMs, `no answer within ${timeoutMs} ms`, timeout).catch(() => undefined),
    ]);
  } catch (error) {
    return (error as Error).message || 'failed';
  } finally {
    timeout.abort();
  }
}
