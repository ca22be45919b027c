/** What a Pipeline must hold beyond what its schema says. */

import { type ImageRules, isImageAllowed } from '@seqpanel/crds/images.ts';
import type { Pipeline } from '@seqpanel/crds/kinds.ts';
import { parseBytes, parseCores } from '../kube/quantity.ts';

export interface PipelineProblem {
  reason: 'ImageNotAllowed' | 'StepTwice' | 'BadQuantity';
  /** Names the field. */
  message: string;
}

/** The first thing that is wrong, if any. */
export function checkPipeline(pipeline: Pipeline, images: ImageRules): PipelineProblem | undefined {
  const seen = new Set<string>();
  for (const stage of pipeline.spec.stages)
    for (const { name, image, resources } of stage.steps) {
      const at = `stage ${stage.name}, step ${name}`;
      if (seen.has(name)) return { reason: 'StepTwice', message: `${at}: the pipeline has two steps of this name` };
      seen.add(name);
      // Whoever may create a Pipeline runs code beside patients' files.
      if (!isImageAllowed(images, image))
        return { reason: 'ImageNotAllowed', message: `${at}: image ${image} is of a registry that is not allowed` };
      if (resources?.memory && !parseBytes(resources.memory))
        return { reason: 'BadQuantity', message: `${at}: "${resources.memory}" is not an amount of memory` };
      if (resources?.cpu && !parseCores(resources.cpu))
        return { reason: 'BadQuantity', message: `${at}: "${resources.cpu}" is not a number of processors` };
    }
  return undefined;
}
