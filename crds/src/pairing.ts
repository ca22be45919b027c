/** Tumor-normal pairs [LAUNCH-28]. A normal may serve several tumors. Pure. */

import { pairNameProblem } from './names.ts';

export interface PairInput {
  name: string;
  tumor: string;
  normal: string;
}

export interface PairProblem {
  code:
    | 'pair_name_required'
    | 'pair_name_characters'
    | 'pair_name_exists'
    | 'pair_sample_unknown'
    | 'pair_role'
    | 'pair_tumor_twice'
    | 'pair_same_sample';
  pair: string;
  sample?: string;
}

/** `roles`: role of every sample in the run, by name. */
export function pairProblems(pairs: readonly PairInput[], roles: ReadonlyMap<string, string>): PairProblem[] {
  const problems: PairProblem[] = [];
  const names = new Set<string>();
  const tumors = new Set<string>();
  for (const pair of pairs) {
    const code = pairNameProblem(pair.name);
    if (code) problems.push({ code: code as PairProblem['code'], pair: pair.name });
    else if (names.has(pair.name)) problems.push({ code: 'pair_name_exists', pair: pair.name });
    names.add(pair.name);
    if (pair.tumor === pair.normal) problems.push({ code: 'pair_same_sample', pair: pair.name, sample: pair.tumor });
    for (const [sample, wanted] of [
      [pair.tumor, 'tumor'],
      [pair.normal, 'normal'],
    ] as const) {
      const role = roles.get(sample);
      if (role === undefined) problems.push({ code: 'pair_sample_unknown', pair: pair.name, sample });
      else if (role !== wanted) problems.push({ code: 'pair_role', pair: pair.name, sample });
    }
    if (tumors.has(pair.tumor)) problems.push({ code: 'pair_tumor_twice', pair: pair.name, sample: pair.tumor });
    tumors.add(pair.tumor);
  }
  return problems;
}

/** Words that distinguish the two samples of a person, at the end or between separators. */
const MARKS = /(^|[-_])(tumou?r|normal|germline|blood|t|n)\d*(?=$|[-_])/gi;
const stem = (name: string): string => name.replace(MARKS, '').toLowerCase();

/** Suggests pairs: a tumor and the only normal with the same name except for its mark (T/N, tumor/normal). */
export function suggestPairs(tumors: readonly string[], normals: readonly string[]): PairInput[] {
  const byStem = new Map<string, string[]>();
  for (const normal of normals) byStem.set(stem(normal), [...(byStem.get(stem(normal)) ?? []), normal]);
  const names = new Set<string>();
  return tumors.flatMap((tumor) => {
    const found = byStem.get(stem(tumor)) ?? [];
    if (found.length !== 1) return [];
    const base = stem(tumor).replace(/^[-_]+|[-_]+$/g, '') || tumor;
    let name = base;
    for (let i = 2; names.has(name); i++) name = `${base}-${i}`;
    names.add(name);
    return [{ name, tumor, normal: found[0]! }];
  });
}
