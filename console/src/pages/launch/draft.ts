import { splitEmails } from '@seqpanel/crds/launch-rules.ts';
import { groupFiles, type ParsedFile, type SampleGroup } from '@seqpanel/crds/sample-grouping.ts';
import type { LaunchRequest } from '../../queries/launch.ts';

/** The wizard's steps, as the {step} of the route names them (SPEC 2). */
export const STEPS = ['start-from', 'select-files', 'edit-definition', 'preview', 'start'] as const;
export type Step = (typeof STEPS)[number];

export const QC_TYPES = ['Sample', 'NTC', 'NegCtrl', 'PosCtrl'] as const;
export const ROLES = ['germline', 'tumor', 'normal', 'control'] as const;

/** One row of the definition; numbers are kept as they are typed. */
export interface DraftSample {
  name: string;
  libraryId: string;
  qcType: (typeof QC_TYPES)[number];
  role: (typeof ROLES)[number];
  files: Pick<ParsedFile, 'name' | 'read' | 'lane'>[];
  cnvNormal: boolean;
  tumorContent: string;
  skipped: boolean;
}

export interface DraftPair {
  name: string;
  tumor: string;
  normal: string;
}

/** What the wizard knows; it survives a reload and is sent once, by its key. */
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

/** A sample's type as its name suggests it: NTC and control materials are usually called so. */
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

function newSample(group: SampleGroup): DraftSample {
  const qcType = suggestedType(group.sample);
  return {
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

/** The draft with just these files: samples that stay keep what was typed, new ones are grouped by name. */
export function withFiles(draft: Draft, names: readonly string[]): Draft {
  const groups = groupFiles(names);
  const known = new Map(draft.samples.flatMap((sample) => sample.files.map((file) => [file.name, sample] as const)));
  const samples = groups.map((group) => {
    const before = group.files.map((file) => known.get(file.name)).find((sample) => sample !== undefined);
    const fresh = newSample(group);
    return before ? { ...before, files: fresh.files } : fresh;
  });
  const remaining = new Set(samples.map((sample) => sample.name));
  return {
    ...draft,
    samples,
    pairs: draft.pairs.filter((pair) => remaining.has(pair.tumor) && remaining.has(pair.normal)),
  };
}

/** Changes one sample; a new name follows into the pairs. */
export function withSample(draft: Draft, index: number, change: Partial<DraftSample>): Draft {
  const before = draft.samples[index];
  if (!before) return draft;
  const after = { ...before, ...change };
  const renamed = (name: string): string => (name === before.name ? after.name : name);
  const pairs = draft.pairs
    .map((pair) => ({ ...pair, tumor: renamed(pair.tumor), normal: renamed(pair.normal) }))
    .filter(
      (pair) =>
        (pair.tumor !== after.name || after.role === 'tumor') &&
        (pair.normal !== after.name || after.role === 'normal'),
    );
  return { ...draft, samples: draft.samples.map((sample, at) => (at === index ? after : sample)), pairs };
}

/** Pairs a tumor with a normal; '' undoes its pair. */
export function withPair(draft: Draft, tumor: string, normal: string): Draft {
  const others = draft.pairs.filter((pair) => pair.tumor !== tumor);
  if (normal === '') return { ...draft, pairs: others };
  const before = draft.pairs.find((pair) => pair.tumor === tumor);
  return { ...draft, pairs: [...others, { name: before?.name ?? tumor, tumor, normal }] };
}

/** What launch-task takes. */
export function toRequest(draft: Draft): LaunchRequest {
  const skipped = new Set(draft.samples.filter((sample) => sample.skipped).map((sample) => sample.name));
  return {
    name: draft.runName,
    project: draft.project,
    panel: draft.panel,
    preset: draft.preset || null,
    notify: splitEmails(draft.notify),
    samples: draft.samples.map((sample) => ({
      name: sample.name,
      library_id: sample.libraryId,
      qc_type: sample.qcType,
      role: sample.role,
      files: sample.files.map((file) => ({ name: file.name, read: file.read, lane: file.lane ?? null })),
      cnv_normal: sample.cnvNormal,
      tumor_content: sample.tumorContent.trim() === '' ? null : sample.tumorContent.trim(),
      skipped: sample.skipped,
    })),
    pairs: draft.pairs.filter((pair) => !skipped.has(pair.tumor) && !skipped.has(pair.normal)),
  };
}

/** A draft from an earlier launch (TASK-18). */
export function fromRequest(request: LaunchRequest, key: string): Draft {
  return {
    key,
    runName: request.name,
    project: request.project,
    panel: request.panel ?? '',
    preset: request.preset ?? '',
    notify: (request.notify ?? []).join(', '),
    pairs: request.pairs ?? [],
    samples: request.samples.map((sample) => ({
      name: sample.name,
      libraryId: sample.library_id,
      qcType: sample.qc_type ?? 'Sample',
      role: sample.role ?? 'germline',
      files: sample.files.map((file) => ({
        name: file.name,
        read: file.read ?? 'R1',
        ...(file.lane ? { lane: file.lane } : {}),
      })),
      cnvNormal: sample.cnv_normal ?? false,
      tumorContent:
        sample.tumor_content === null || sample.tumor_content === undefined ? '' : String(sample.tumor_content),
      skipped: sample.skipped ?? false,
    })),
  };
}
