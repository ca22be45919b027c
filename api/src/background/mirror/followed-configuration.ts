/** Follows PanelTypes, Genomes and Pipelines and keeps their rows equal to them. */

import {
  GENOMES,
  type KubeObject,
  PANEL_TYPES,
  PIPELINES,
  type Resource,
  type Stored,
} from '@seqpanel/crds/kube/objects.ts';
import type { Reflector } from '@seqpanel/crds/kube/reflector.ts';
import { mirrorGenome, mirrorPanelType, mirrorPipeline } from './configuration.ts';
import { endedNames, endRow, type FollowDeps, type Followed, type FollowResult } from './follow-resource.ts';
import { genomes, panelTypes, pipelines } from './followed-kinds.ts';
import { type MirrorContext, readResource, withoutManagedFields } from './mirror-context.ts';
import { namesIn, type SweptKind } from './vanished-sweep.ts';

/** Delay before a resource is compared again while its row is ahead of it. */
const LATER_MS = 1_000;

const RESOURCES = { PanelType: PANEL_TYPES, Genome: GENOMES, Pipeline: PIPELINES };

export interface FollowedConfiguration {
  kind: string;
  reflector: Pick<Reflector<KubeObject, Stored<KubeObject>>, 'synced' | 'healthy' | 'run'>;
  /** Compares the resource with this key in the queue again. */
  compareAgain(key: string): void;
  swept: SweptKind;
}

export function followConfiguration(context: MirrorContext): FollowedConfiguration[] {
  const { db, now, reflectors, storageDir } = context;
  const deps: FollowDeps = {
    db,
    now,
    read: (kind, name) => readResource(context, RESOURCES[kind] as Resource<KubeObject>, name),
  };

  /**
   * Compares the newest known state of a resource with its row. While a console change is on its way to the resource,
   * compares again later with the state of that time, because the state of this event may then be outdated.
   */
  const follow = <T extends KubeObject & { spec: object }>(
    resource: Resource<T>,
    followed: Followed<T>,
    look: (object: Stored<T>) => Promise<FollowResult>,
  ): FollowedConfiguration => {
    const compareAgain = (key: string): void => reflectors.queue.add({ key, write: () => compare(key) }, false);
    const compare = async (key: string): Promise<void> => {
      const stored = key.slice(resource.kind.length + 1);
      const object = reflector.store.get(stored);
      const result = await (object ? look(object) : endRow(deps, followed, stored.split('/').at(-1)!));
      if (result === 'later') setTimeout(compareAgain, LATER_MS, key).unref();
    };
    const reflector = reflectors.reflect<T, Stored<T>>(resource, withoutManagedFields, {
      write: (_object, key) => compare(key),
      gone: (_name, key) => compare(key),
    });
    const settle = async (): Promise<void> => {
      for (const name of await endedNames(db, followed.kind, namesIn(reflector))) await endRow(deps, followed, name);
    };
    return { kind: resource.kind, reflector, compareAgain, swept: { reflector, settle } };
  };
  return [
    follow(PANEL_TYPES, panelTypes(deps, storageDir), (panel) => mirrorPanelType(deps, storageDir, panel)),
    follow(GENOMES, genomes(deps), (genome) => mirrorGenome(deps, genome)),
    follow(PIPELINES, pipelines(deps), (pipeline) => mirrorPipeline(deps, pipeline)),
  ];
}
