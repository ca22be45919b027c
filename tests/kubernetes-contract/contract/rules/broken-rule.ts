/** A violation of a CEL rule, and the objects to create it from. */
import type { KubeObject } from '../../../cluster/kube-http.ts';
import { FULL } from '../../builders.ts';

export interface BrokenRule {
  what: string;
  /** The object to create. It is rejected unless `change` is set. */
  object: KubeObject;
  /** A change of it that is rejected, sent as the whole object. */
  change?: (object: KubeObject) => unknown;
  /** Expected part of the error message. */
  expected: string;
}

/** A change of a spec, with its name. */
export type SpecChange = [what: string, change: (spec: KubeObject) => unknown];

/** Returns a function that creates objects of the kind with every field of the spec and the given changes. */
export const fullOf =
  (kind: string) =>
  (name: string, change?: (spec: KubeObject) => unknown): KubeObject => {
    const object = FULL[kind]!(name);
    change?.(object.spec);
    return object;
  };

/** Converts a change of the spec to a change of a whole object. */
export const ofSpec =
  (change: SpecChange[1]): NonNullable<BrokenRule['change']> =>
  ({ spec }) =>
    change(spec);
