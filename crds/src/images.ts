/** Names of the images that SeqPanel ships, in an installation that has them from a registry of its own. */

import type { Pipeline } from './kinds.ts';

/** Every shipped image begins with it. */
export const SHIPPED_IMAGES = 'seqpanel/';

/** `seqpanel/pipeline:1.0.0` as `<registry>/seqpanel/pipeline:1.0.0`; an empty registry changes nothing. */
export const imageFrom = (registry: string, image: string): string =>
  registry === '' || !image.startsWith(SHIPPED_IMAGES) ? image : `${registry.replace(/\/+$/, '')}/${image}`;

/** A shipped Pipeline whose steps run the images of the registry. */
export const pipelineFrom = (registry: string, pipeline: Pipeline): Pipeline => ({
  ...pipeline,
  spec: {
    ...pipeline.spec,
    stages: pipeline.spec.stages.map((stage) => ({
      ...stage,
      steps: stage.steps.map((step) => ({ ...step, image: imageFrom(registry, step.image) })),
    })),
  },
});
