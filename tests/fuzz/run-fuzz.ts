/** Sends a number of requests and reports the answers that break a rule. */
import fc from 'fast-check';
import { type Operation, operationsOf } from '../../api/src/openapi/document.ts';
import { createMatcher } from '../../api/src/openapi/match.ts';
import { placesOf } from '../../api/test-support/rights-requests.ts';
import { createJudge } from './judge.ts';
import { type FuzzRequest, requestsTo } from './requests.ts';
import { asCommand, createSend } from './send.ts';
import { fuzzWorld } from './world.ts';

export interface FuzzReport {
  calls: number;
  /** Answers by status. */
  statuses: Record<string, number>;
  /** Operations that never answered with success. */
  untouched: string[];
  slowestMs: number;
  residentBytes: { before: number; after: number };
  failures: string[];
}

export interface FuzzOptions {
  calls: number;
  seed: number;
  /** Number of different failures at which it stops. */
  maxFailures?: number;
  progress?: (report: FuzzReport) => void;
}

/** Few, because a call may end a session or disable a group for later calls. */
const BATCH = 100;
const AT_ONCE = 6;
/** Warm-up, during which caches fill and code is compiled. */
const WARM_UP = 500;

export async function runFuzz({ calls, seed, maxFailures = 1, progress }: FuzzOptions): Promise<FuzzReport> {
  const world = await fuzzWorld();
  const { process, subject } = world;
  const { send, close } = createSend(process.port, AT_ONCE);
  const judge = createJudge(subject.document);
  const match = createMatcher(subject.document);
  const operations = new Map<string, Operation>(
    [...operationsOf(subject.document)].map(({ operation }) => [operation.operationId, operation]),
  );
  const requests = fc.oneof(...placesOf(subject).map((place) => requestsTo(subject, place, operations.get(place.id)!)));
  const report: FuzzReport = {
    calls: 0,
    statuses: {},
    untouched: [...operations.keys()],
    slowestMs: 0,
    residentBytes: { before: 0, after: 0 },
    failures: [],
  };
  const kinds = new Set<string>();

  async function one(request: FuzzRequest, token: string | undefined, batch: number): Promise<void> {
    const found = match(request.method, request.target.split('?')[0]!);
    const operation = found && 'operation' in found ? found.operation.operationId : undefined;
    const answer = { ...(await send(request, token)), operation };
    report.calls++;
    report.statuses[answer.status] = (report.statuses[answer.status] ?? 0) + 1;
    report.slowestMs = Math.max(report.slowestMs, answer.milliseconds);
    if (answer.status >= 200 && answer.status < 300)
      report.untouched = report.untouched.filter((id) => id !== operation);
    const problem = judge(request, answer);
    if (!problem || kinds.has(`${request.operation} ${problem}`)) return;
    kinds.add(`${request.operation} ${problem}`);
    const logged = answer.status >= 500 ? await errorOf(answer.headers['x-request-id']!) : '';
    report.failures.push(
      [
        `${request.operation}: ${problem}`,
        `seed ${seed}, batch ${batch}`,
        asCommand(request, process.port),
        `answer: ${answer.status} ${answer.text.slice(0, 500)}`,
        logged,
      ].join('\n  '),
    );
  }

  async function errorOf(requestId: string): Promise<string> {
    for (;;) {
      const line = await process.logged('request failed');
      if (line['reqId'] === requestId) return (line['err'] as { stack: string }).stack;
    }
  }

  try {
    for (let batch = 0; report.calls < calls && report.failures.length < maxFailures; batch++) {
      const tokens = await world.heal();
      const waiting = fc.sample(requests, { seed: seed + batch, numRuns: Math.min(BATCH, calls - report.calls) });
      const worker = async (): Promise<void> => {
        for (let next = waiting.pop(); next; next = waiting.pop()) await one(next, tokens[next.caller], batch);
      };
      await Promise.all(Array.from({ length: AT_ONCE }, worker));
      if (process.exitCode() !== undefined) throw new Error(`the api has ended, seed ${seed}, batch ${batch}`);
      if (!report.residentBytes.before && report.calls >= Math.min(WARM_UP, calls))
        report.residentBytes.before = process.residentBytes();
      report.residentBytes.after = process.residentBytes();
      progress?.(report);
    }
  } finally {
    close();
    await world.close();
  }
  return report;
}
