/** The image that a step runs: named by the Pipeline, pinned to one build, and judged again before a Job is built. */

import { atDigest, digestOf, imageFrom, isImageAllowed } from '@seqpanel/crds/images.ts';
import type { AnalysisTask, AnalysisTaskStatus } from '@seqpanel/crds/kinds.ts';
import type { PodFacts } from '../jobs/facts.ts';
import type { JobSettings } from './input.ts';

/** Returns the image by its digest where the launch named one or a pod of this task has run it, else as the Pipeline names it. */
export function imageOf(task: AnalysisTask, status: AnalysisTaskStatus, image: string): string {
  const pinned = [...(task.spec.pipeline.images ?? []), ...(status.images ?? [])];
  const digest = pinned.find((entry) => entry.image === image)?.digest;
  return digest ? atDigest(image, digest) : image;
}

/** Returns why the image may not run here. Judges the final reference: the digest comes from the task, not from the Pipeline. */
export function imageProblem(
  task: AnalysisTask,
  status: AnalysisTaskStatus,
  image: string,
  { imageRegistry, imagePrefixes }: JobSettings,
): string | undefined {
  const final = imageFrom(imageRegistry, imageOf(task, status, image));
  return isImageAllowed({ registry: imageRegistry, prefixes: imagePrefixes }, final)
    ? undefined
    : `Image ${final} is not allowed here. Ask the administrator to add its registry to the allowed image prefixes.`;
}

/** Records the build that the first pod runs, so that the pods of later Jobs run the same one. */
export function pinImage(
  status: AnalysisTaskStatus,
  image: string,
  pods: readonly PodFacts[],
  { imageRegistry }: JobSettings,
): void {
  if (status.images?.some((entry) => entry.image === image)) return;
  const pulled = imageFrom(imageRegistry, image);
  for (const { imageId } of pods) {
    const digest = imageId === undefined ? undefined : digestOf(imageId, pulled);
    if (digest === undefined) continue;
    status.images = [...(status.images ?? []), { image, digest }];
    return;
  }
}
