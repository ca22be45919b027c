/** The image of a step: named by the Pipeline, pinned to one build, and checked again before each Job. */

import { atDigest, digestOf, imageFrom, isImageAllowed } from '@seqpanel/crds/images.ts';
import type { AnalysisTask, AnalysisTaskStatus } from '@seqpanel/crds/kinds.ts';
import type { PodFacts } from '../jobs/facts.ts';
import type { JobSettings } from './input.ts';

/** Returns the image with its digest if the launch or an earlier pod of this task pinned it, else as the Pipeline names it. */
export function imageOf(task: AnalysisTask, status: AnalysisTaskStatus, image: string): string {
  const pinned = [...(task.spec.pipeline.images ?? []), ...(status.images ?? [])];
  const digest = pinned.find((entry) => entry.image === image)?.digest;
  return digest ? atDigest(image, digest) : image;
}

/** Returns why the image may not run here. Checks the final reference, because the digest comes from the task. */
export function imageProblem(
  task: AnalysisTask,
  status: AnalysisTaskStatus,
  image: string,
  { imageRegistry, imagePrefixes }: JobSettings,
): string | undefined {
  const final = imageFrom(imageRegistry, imageOf(task, status, image));
  return isImageAllowed({ registry: imageRegistry, prefixes: imagePrefixes }, final)
    ? undefined
    : `Image ${final} is not allowed. Ask the administrator to add its registry to the allowed image prefixes.`;
}

/** Records the digest that the first pod runs, so that pods of later Jobs run the same build. */
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
