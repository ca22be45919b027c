/** Rules for Pipelines beyond their schema. */

import { type ImageRules, isImageAllowed } from '@seqpanel/crds/images.ts';
import type { Pipeline } from '@seqpanel/crds/kinds.ts';
import { parseBytes, parseCores } from '../kube/quantity.ts';

export interface PipelineProblem {
  reason: 'ImageNotAllowed' | 'StepTwice' | 'BadQuantity';
  /** Names the field. */
  message: string;
}

/** Returns the first problem, if any. */
export function checkPipeline(pipeline: Pipeline, images: ImageRules): PipelineProblem | undefined {
  const seen = new Set<string>();
  for (const stage of pipeline.spec.stages)
    for (const { name, image, resources } of stage.steps) {
      const at = `stage ${stage.name}, step ${name}`;
      if (seen.has(name)) return { reason: 'StepTwice', message: `${at}: the pipeline has another step of this name` };
      seen.add(name);
      // Anyone who may create a Pipeline runs code next to patient files.
      if (!isImageAllowed(images, image))
        return { reason: 'ImageNotAllowed', message: `${at}: the registry of image ${image} is not allowed` };
      if (resources?.memory && !parseBytes(resources.memory))
        return { reason: 'BadQuantity', message: `${at}: "${resources.memory}" is not an amount of memory` };
      if (resources?.cpu && !parseCores(resources.cpu))
        return { reason: 'BadQuantity', message: `${at}: "${resources.cpu}" is not a number of processors` };
    }
  return undefined;
}
