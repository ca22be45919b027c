/** Faults of our processes: killed at critical moments, lost leadership, wrong time. */
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { ProxiedRequest } from './faulty-proxy.ts';
import type { Part } from './product.ts';
import type { Fault, Round } from './round.ts';

type Request = Pick<ProxiedRequest, 'method' | 'path' | 'body'>;
const createsJob = ({ method, path }: Request) => method === 'POST' && path.endsWith('/jobs');
const createsTask = ({ method, path }: Request) => method === 'POST' && path.endsWith('/analysistasks');
const writesStatus = ({ method, path }: Request) =>
  method === 'PUT' && path.includes('/analysistasks/') && path.endsWith('/status');
const succeeds = (request: Request) => writesStatus(request) && request.body.includes('"Succeeded"');
const finishes = (request: Request) => writesStatus(request) && request.body.includes('"phase":"Completed"');

/** Runs two tasks and kills a part when one of them reaches that point. */
function killed(name: string, part: Part, moment: 'before' | 'after', at: (request: Request) => boolean): Fault {
  return {
    name,
    needs: 'product',
    // Start of a process: one to five seconds.
    within: 15,
    run: async (round) => {
      const reached = round.killAt(part, moment, at);
      await Promise.all([reached, round.launch(), round.launch()]);
    },
  };
}

function killedAtStatement(name: string, statement: RegExp): Fault {
  return {
    name,
    needs: 'product',
    within: 15,
    run: async (round) => {
      const reached = round.killApiAt(statement);
      await Promise.all([reached, round.launch(), round.launch()]);
    },
  };
}

const LEASES = '/apis/coordination.k8s.io/v1/namespaces';
const leader = async ({ kube, product }: Round): Promise<string> =>
  (await kube.get(`${LEASES}/${product.namespace}/leases/seqpanel-operator`)).spec.holderIdentity ?? '';

/** Starts a second operator, which leads. After the round only one runs, as before. */
async function twoOperators(round: Round): Promise<void> {
  const { product } = round;
  const on = { SEQPANEL_LEADER_ELECTION: 'on' };
  round.afterwards(async () => {
    await product.stop('operator-2');
    await product.stop('operator');
    await product.run('operator');
  });
  await product.stop('operator');
  await product.run('operator-2', on);
  await until(round, 'operator-2', 30);
  await product.run('operator', on);
}

/** Waits until that operator leads. Returns the seconds. */
async function until(round: Round, identity: 'operator' | 'operator-2', seconds: number): Promise<number> {
  const from = Date.now();
  while ((await leader(round).catch(() => '')) !== identity) {
    if (Date.now() - from > seconds * round.patience * 1000)
      throw new Error(`${identity} did not lead within ${seconds} s: ${round.product.log(identity).slice(-600)}`);
    await wait(50);
  }
  return (Date.now() - from) / 1000;
}

/** The fault of the leader, and the time limit for the other to lead. */
function leaderLost(name: string, seconds: number, lose: (round: Round) => Promise<void>): Fault {
  return {
    name,
    needs: 'product',
    within: seconds + 10,
    run: async (round) => {
      await twoOperators(round);
      await round.launchHeld('reads');
      await round.lifted();
      await lose(round);
      round.release('reads');
      await until(round, 'operator', seconds);
    },
  };
}

const CLOCKS = ['api', 'operator', 'operator-2'] as const;
const JUMP_MS = 600_000;

const clocksJump: Fault = {
  name: 'the clocks of api and leading operator jump 10 minutes ahead, then 20 back',
  needs: 'product',
  within: 10,
  run: async (round) => {
    const file = (part: Part) => join(round.product.dataDir, `skew-${part}`);
    round.afterwards(() => {
      for (const part of CLOCKS) if (existsSync(file(part))) rmSync(file(part));
    });
    await twoOperators(round);
    await round.launchHeld('cohort');
    for (const skew of [JUMP_MS, -JUMP_MS]) {
      for (const part of ['api', 'operator-2'] as const) writeFileSync(file(part), String(skew));
      await wait(3000);
    }
    if ((await leader(round)) !== 'operator-2') throw new Error('the lead changed hands for a wrong clock');
    await round.lifted();
    round.release('cohort');
  },
};

export const PROCESS_FAULTS: Fault[] = [
  killed('operator killed before it creates a Job', 'operator', 'before', createsJob),
  killed('operator killed when a Job is created and not yet in the status', 'operator', 'after', createsJob),
  killed("operator killed after a Job's end, before the status records it", 'operator', 'before', succeeds),
  killed('operator killed after the status recorded a Job, before any other action', 'operator', 'after', succeeds),
  killed('operator killed before it writes the end of a task', 'operator', 'before', finishes),
  killed('operator killed after it wrote the end of a task', 'operator', 'after', finishes),
  leaderLost('leading operator killed: the other leads within 15 s', 15, ({ product }) =>
    product.stop('operator-2', 'SIGKILL'),
  ),
  leaderLost('leading operator ended by SIGTERM: the other leads within 2 s', 2, ({ product }) =>
    product.stop('operator-2'),
  ),
  leaderLost('leading operator cut off from the API server: the other leads within 15 s', 15, async (round) => {
    round.afterwards(round.product.secondProxy.away());
  }),
  clocksJump,
  killed('api killed before it creates the resource of a launch', 'api', 'before', createsTask),
  killed('api killed when the resource is created and the outbox does not know', 'api', 'after', createsTask),
  killedAtStatement('api killed in the transaction of a launch', /insert into "outbox"/),
  killedAtStatement('api killed while it copies the calls of a sample', /COPY new_call/),
  killedAtStatement('api killed before it completes the row of a task', /update "task" set .*"ingested"/),
];
