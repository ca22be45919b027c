/** Counts the calls that each condition keeps, alone and after the preceding conditions of its filter. */

import type { ConditionGroup, Row } from '@seqpanel/crds/conditions/ast.ts';
import { evaluateGroups, type Verdict } from '@seqpanel/crds/conditions/evaluate.ts';
import type { FunnelFile } from '@seqpanel/crds/outputs/post-filter.ts';

/** Counts calls one by one. */
export class Funnel {
  #calls = 0;
  #kept = 0;
  readonly #alone: number[];
  readonly #cumulative: number[];
  readonly #groups: readonly ConditionGroup[];

  constructor(groups: readonly ConditionGroup[]) {
    this.#groups = groups;
    const conditions = groups.reduce((n, g) => n + g.filters.reduce((m, f) => m + f.conditions.length, 0), 0);
    this.#alone = new Array<number>(conditions).fill(0);
    this.#cumulative = new Array<number>(conditions).fill(0);
  }

  /** Returns the verdict on a call and counts it. */
  judge(row: Row): Verdict {
    const verdict = evaluateGroups(this.#groups, row);
    this.#calls++;
    if (verdict.pass) this.#kept++;
    let at = 0;
    for (const group of this.#groups) {
      for (const filter of group.filters) {
        let all = true;
        for (let i = 0; i < filter.conditions.length; i++, at++) {
          const pass = verdict.bits[at] === '1';
          all &&= pass;
          if (pass) this.#alone[at]!++;
          if (all) this.#cumulative[at]!++;
        }
      }
    }
    return verdict;
  }

  file(): FunnelFile {
    let at = 0;
    const conditions = this.#groups.flatMap((group) =>
      group.filters.flatMap((filter) =>
        filter.conditions.map(({ field }) => {
          const counts = { alone: this.#alone[at]!, cumulative: this.#cumulative[at]! };
          at++;
          return { group: group.name, filter: filter.name, field, ...counts };
        }),
      ),
    );
    return { schema_version: 1, calls: this.#calls, kept: this.#kept, conditions };
  }
}
