/** A round on a product of processes: parts of it are killed at requests and statements, steps are held. */
import type { CommandKubelet } from '../../cluster/command-kubelet.ts';
import type { ExpectedTask } from './invariants.ts';
import { type FaultOf, JudgedRound, type JudgedRoundOptions } from './judged-round.ts';
import type { ClusterProduct, Part } from './product.ts';

export interface Fault extends FaultOf<Round> {
  /**
   * Exclusive resource of the fault: `product`, only its product; `disk`, a product with small storage; `plane`, the
   * whole control plane; `node`, a node of a control plane with short node timeouts.
   */
  needs: 'product' | 'disk' | 'plane' | 'node';
}

export class Round extends JudgedRound {
  readonly product: ClusterProduct;
  /** True on demand: faults last as long as in the table. */
  readonly long: boolean;
  /** The nodes of its control plane, by name. A fault that loses a node restores it. */
  readonly nodes: Map<string, CommandKubelet>;

  constructor(options: JudgedRoundOptions & Pick<Round, 'product' | 'long' | 'nodes'>) {
    super(options);
    this.product = options.product;
    this.long = options.long;
    this.nodes = options.nodes;
  }

  /** Launches tasks whose step waits for `release`, and waits until the step runs. */
  async launchHeld(step: string, count = 2, expected: Partial<ExpectedTask> = {}): Promise<ExpectedTask[]> {
    this.hold(step);
    const tasks = await Promise.all(Array.from({ length: count }, () => this.launch(expected)));
    for (const { id } of tasks)
      await this.lab.started(id, step, step === 'reads' || step === 'call' ? 2 : 1, 60 * this.patience);
    return tasks;
  }

  hold(step: string): void {
    this.lab.tell('hold', step);
    this.afterwards(() => this.release(step));
  }
  release(step: string): void {
    this.lab.untell('hold', step);
  }

  /** Kills a part at the next matching request. Resolves then. */
  killAt(
    part: Part,
    moment: 'before' | 'after',
    matches: (request: { method: string; path: string; body: string }) => boolean,
  ): Promise<void> {
    const from = part.replace(/-2$/, '');
    this.afterwards(() => this.product.proxy.forget());
    return this.reached((done) =>
      this.product.proxy.stopAt(
        moment,
        (request) => request.from === from && matches(request),
        () => {
          this.product.kill(part);
          done();
        },
      ),
    );
  }

  /** Kills the api at the next matching statement. Resolves then. */
  killApiAt(statement: RegExp): Promise<void> {
    return this.reached((done) =>
      this.product.sql.stopAt(statement, () => {
        this.product.kill('api');
        done();
      }),
    );
  }
}
