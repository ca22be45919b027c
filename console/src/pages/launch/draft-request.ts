/** Converts the wizard's draft to the body of launch-task, and back. */
import { splitEmails } from '@seqpanel/crds/launch-rules.ts';
import { fromLaunchSample, toLaunchSample } from '@seqpanel/crds/launch-sample.ts';
import type { LaunchRequest } from '../../queries/launch.ts';
import { randomId } from '../../random-id.ts';
import type { Draft, DraftSample, NewId } from './draft.ts';
import { validPairs } from './draft.ts';

/** Converts the draft to the body of launch-task; pairs name their samples. */
export function toRequest(draft: Draft): LaunchRequest {
  const names = new Map(draft.samples.filter((sample) => !sample.skipped).map((sample) => [sample.id, sample.name]));
  return {
    name: draft.runName,
    project: draft.project,
    panel: draft.panel,
    preset: draft.preset || null,
    notify: splitEmails(draft.notify),
    samples: draft.samples.map(({ tumorContent, skipped, ...sample }) => ({
      ...toLaunchSample(sample),
      // Sent as typed; the api validates it.
      tumor_content: tumorContent.trim() || null,
      skipped,
    })),
    pairs: draft.pairs.flatMap((pair) => {
      const [tumor, normal] = [names.get(pair.tumor), names.get(pair.normal)];
      return tumor === undefined || normal === undefined ? [] : [{ name: pair.name, tumor, normal }];
    }),
  };
}

/** Returns a draft from an earlier launch (TASK-18). */
export function fromRequest(request: LaunchRequest, key: string, newId: NewId = randomId): Draft {
  return withSampleIds(
    {
      key,
      runName: request.name,
      project: request.project,
      panel: request.panel ?? '',
      preset: request.preset ?? '',
      notify: (request.notify ?? []).join(', '),
      pairs: request.pairs ?? [],
      samples: request.samples.map((sample) => {
        const { name, libraryId, qcType, role, files, cnvNormal, tumorContent } = fromLaunchSample(sample);
        return {
          name,
          libraryId,
          qcType,
          role,
          files,
          cnvNormal,
          tumorContent: tumorContent === undefined ? '' : String(tumorContent),
          skipped: sample.skipped ?? false,
        };
      }),
    },
    newId,
  );
}

/** A draft of an earlier version, whose pairs contain sample names. */
export type NamedDraft = Omit<Draft, 'samples'> & { samples: Omit<DraftSample, 'id'>[] };

/** Adds ids to the samples and refers to them in the pairs. Drops a pair of an unknown sample. */
export function withSampleIds(draft: NamedDraft, newId: NewId = randomId): Draft {
  const samples = draft.samples.map((sample) => ({ ...sample, id: newId() }));
  const idOf = (name: string): string => samples.find((sample) => sample.name === name)?.id ?? '';
  const pairs = draft.pairs.map((pair) => ({ ...pair, tumor: idOf(pair.tumor), normal: idOf(pair.normal) }));
  return { ...draft, samples, pairs: validPairs(pairs, samples) };
}
