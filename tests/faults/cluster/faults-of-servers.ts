/** Faults of servers: Postgres and the API server stop, restart or return errors. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Fault, Round } from './round.ts';

/** The first duration is for runs on demand, the second for npm test. */
const seconds = ({ long }: Round, onDemand: number, inTests: number) => (long ? onDemand : inTests) * 1000;

/** Tasks wait in a step that is released during the fault, so that there are events to report after it. */
function during(name: string, more: Partial<Fault>, fault: (round: Round) => Promise<void>): Fault {
  return {
    name,
    needs: 'product',
    within: 10,
    ...more,
    run: async (round) => {
      await round.launchHeld('reads');
      await fault(round);
      round.release('reads');
      await round.isBack();
    },
  };
}

const refusing = (name: string, status: number, reads = false): Fault =>
  during(name, {}, async (round) => {
    const lift = round.product.proxy.answer(status, ({ method }) => !reads || method === 'GET');
    // Adds work while the server does not answer.
    round.release('reads');
    await wait(seconds(round, 30, 6));
    lift();
  });

export const SERVER_FAULTS: Fault[] = [
  during('Postgres killed', {}, async ({ product }) => {
    product.kill('postgres');
    await wait(1000);
  }),
  during('Postgres restarted', {}, async ({ product }) => {
    await product.stop('postgres');
    await product.run('postgres');
  }),
  during('Postgres away for 30 s', {}, async (round) => {
    await round.product.stop('postgres');
    round.release('reads');
    await wait(seconds(round, 30, 6));
    await round.product.run('postgres');
  }),
  refusing('API server answers 429', 429),
  refusing('API server answers 500', 500),
  refusing('API server answers 410 to lists and watches', 410, true),
  during('API server out of reach for 60 s', {}, async (round) => {
    const back = round.product.proxy.away();
    round.release('reads');
    await wait(seconds(round, 60, 15));
    back();
  }),
  during('API server killed and started again', { needs: 'plane' }, async ({ product: { plane } }) => {
    await plane.stopApiserver();
    await plane.startApiserver();
  }),
  during('API server away for 60 s', { needs: 'plane' }, async (round) => {
    await round.product.plane.stopApiserver();
    await wait(seconds(round, 60, 10));
    await round.product.plane.startApiserver();
  }),
  during('watches fall silent without an end', {}, async ({ product }) => {
    product.proxy.silence();
  }),
];
