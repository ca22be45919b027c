/** Definition of a launch, and its tasks: one per combination of panel and preset. Pure. */

import type { LaunchProblem } from '@seqpanel/crds/launch-rules.ts';
import { formatMessage } from '@seqpanel/crds/messages.ts';
import { parseFileName } from '@seqpanel/crds/sample-grouping.ts';
import type { Call } from '../feature.ts';

export type Definition = Call<'launchTask'>['body'];
export type DefinitionSample = Definition['samples'][number];

/** A task to create: samples with a common panel and preset, in sheet order, and their pairs. */
export interface Combination {
  panelId: string;
  /** Null means the panel's default. */
  presetId: string | null;
  samples: DefinitionSample[];
  pairs: NonNullable<Definition['pairs']>;
}

const presetOf = (definition: Definition, sample: DefinitionSample): string | null =>
  // A sample with its own panel does not inherit the launch's preset, which belongs to another panel.
  sample.preset ?? (sample.panel && sample.panel !== definition.panel ? null : (definition.preset ?? null));

/** Skipped samples stay in the definition but are in no task. */
export function combinations(definition: Definition): Combination[] {
  const found = new Map<string, Combination>();
  for (const sample of definition.samples) {
    if (sample.skipped) continue;
    const panelId = (sample.panel || definition.panel) ?? '';
    const presetId = presetOf(definition, sample);
    const key = `${panelId}/${presetId}`;
    let combination = found.get(key);
    if (!combination) {
      combination = { panelId, presetId, samples: [], pairs: [] };
      found.set(key, combination);
    }
    combination.samples.push(sample);
  }
  const list = [...found.values()];
  for (const pair of definition.pairs ?? []) {
    const home = list.find(({ samples }) => samples.some(({ name }) => name === pair.tumor));
    if (home?.samples.some(({ name }) => name === pair.normal)) home.pairs.push(pair);
  }
  return list;
}

/** Reports pairs whose samples are in different tasks. */
export function pairsAcross(definition: Definition): LaunchProblem[] {
  const kept = new Set(combinations(definition).flatMap(({ pairs }) => pairs));
  return (definition.pairs ?? []).flatMap((pair) => {
    const both = [pair.tumor, pair.normal].every((name) =>
      definition.samples.some((s) => s.name === name && !s.skipped),
    );
    if (kept.has(pair) || !both) return [];
    const code = 'pair_across_tasks' as const;
    return [{ code, message: formatMessage(code, { pair: pair.name }), pair: pair.name, field: 'pair' }];
  });
}

/** Returns the run name of the n-th task (1-based) of `count`. */
export const taskName = (name: string, n: number, count: number): string => (count === 1 ? name : `${name}-${n}`);

/** Returns `fq` or `bam` by the first file. The launch rules reject mixtures. */
export function sourceOf(samples: readonly DefinitionSample[]): 'fq' | 'bam' {
  const first = samples[0]?.files[0]?.name ?? '';
  return parseFileName(first)?.kind === 'fastq' ? 'fq' : 'bam';
}
