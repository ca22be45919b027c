import type { Sample } from '@seqpanel/crds/sample.ts';
import { groupFiles, type ParsedFile, type SampleGroup } from '@seqpanel/crds/sample-grouping.ts';
import { randomId } from '../../random-id.ts';

/** Steps of the wizard, named as the {step} of the route. */
export const STEPS = ['start-from', 'select-files', 'edit-definition', 'preview', 'start'] as const;
export type Step = (typeof STEPS)[number];

export const QC_TYPES: readonly Sample['qcType'][] = ['Sample', 'NTC', 'NegCtrl', 'PosCtrl'];
export const ROLES: readonly Sample['role'][] = ['germline', 'tumor', 'normal', 'control'];

/** One row of the definition. Numbers are kept as typed. */
export interface DraftSample extends Pick<Sample, 'name' | 'libraryId' | 'qcType' | 'role' | 'cnvNormal'> {
  /** Does not change while the name is typed. Pairs refer to it. Not sent. */
  id: string;
  files: Pick<ParsedFile, 'name' | 'read' | 'lane'>[];
  tumorContent: string;
  skipped: boolean;
}

export interface DraftPair {
  name: string;
  /** Ids of samples. */
  tumor: string;
  normal: string;
}

export type NewId = () => string;

/** State of the wizard. Survives a reload and is sent once, by its key. */
export interface Draft {
  key: string;
  runName: string;
  project: string;
  panel: string;
  preset: string;
  notify: string;
  samples: DraftSample[];
  pairs: DraftPair[];
}

export const emptyDraft = (key: string): Draft => ({
  key,
  runName: '',
  project: '',
  panel: '',
  preset: '',
  notify: '',
  samples: [],
  pairs: [],
});

export const isEmptyDraft = (draft: Draft): boolean =>
  draft.project === '' && draft.panel === '' && draft.samples.length === 0;

/** Suggests a sample's type by its name, because NTC and control materials are usually named so. */
function suggestedType(name: string): DraftSample['qcType'] {
  if (/(^|[-_])(ntc|blank|water)\d*([-_]|$)/i.test(name)) return 'NTC';
  if (/(^|[-_])neg(ctrl|control)?\d*([-_]|$)/i.test(name)) return 'NegCtrl';
  if (/(^|[-_])pos(ctrl|control)?\d*([-_]|$)/i.test(name)) return 'PosCtrl';
  return 'Sample';
}

function suggestedRole(name: string): DraftSample['role'] {
  if (/(^|[-_])(tumou?r|t)\d*([-_]|$)/i.test(name) || /^tumou?r/i.test(name)) return 'tumor';
  if (/(^|[-_])(normal|n)\d*([-_]|$)/i.test(name) || /^normal/i.test(name)) return 'normal';
  return 'germline';
}

function newSample(group: SampleGroup, id: string): DraftSample {
  const qcType = suggestedType(group.sample);
  return {
    id,
    name: group.sample,
    libraryId: group.sample,
    qcType,
    role: qcType === 'Sample' ? suggestedRole(group.sample) : 'control',
    files: group.files.map(({ name, read, lane }) => ({ name, read, ...(lane ? { lane } : {}) })),
    cnvNormal: false,
    tumorContent: '',
    skipped: false,
  };
}

/** Returns the draft with exactly these files. Remaining samples keep typed values; new ones are grouped by name. */
export function withFiles(draft: Draft, names: readonly string[], newId: NewId = randomId): Draft {
  const known = new Map(draft.samples.flatMap((sample) => sample.files.map((file) => [file.name, sample] as const)));
  const kept = new Set<string>();
  const samples = groupFiles(names).map((group) => {
    const before = group.files.map((file) => known.get(file.name)).find((sample) => sample && !kept.has(sample.id));
    const fresh = newSample(group, before?.id ?? newId());
    kept.add(fresh.id);
    return before ? { ...before, files: fresh.files } : fresh;
  });
  return { ...draft, samples, pairs: validPairs(draft.pairs, samples) };
}

/** Changes one sample. Keeps its pair while the sample's role allows it. */
export function withSample(draft: Draft, id: string, change: Partial<Omit<DraftSample, 'id'>>): Draft {
  const samples = draft.samples.map((sample) => (sample.id === id ? { ...sample, ...change } : sample));
  return { ...draft, samples, pairs: validPairs(draft.pairs, samples) };
}

export function withoutSample(draft: Draft, id: string): Draft {
  const samples = draft.samples.filter((sample) => sample.id !== id);
  return { ...draft, samples, pairs: validPairs(draft.pairs, samples) };
}

/** Returns the pairs whose samples exist and have the right roles. */
export function validPairs(pairs: readonly DraftPair[], samples: readonly DraftSample[]): DraftPair[] {
  const roles = new Map(samples.map((sample) => [sample.id, sample.role]));
  return pairs.filter((pair) => roles.get(pair.tumor) === 'tumor' && roles.get(pair.normal) === 'normal');
}
