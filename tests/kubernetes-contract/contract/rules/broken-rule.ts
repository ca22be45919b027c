/** One breach of a CEL rule, and the objects it is made from. */
import type { KubeObject } from '../../../cluster/kube-http.ts';
import { FULL } from '../../builders.ts';

export interface BrokenRule {
  what: string;
  /** The object created; refused unless `change` is given. */
  object: KubeObject;
  /** A change to it, put as a whole, that is refused. */
  change?: (object: KubeObject) => unknown;
  /** What the refusal's message contains. */
  expected: string;
}

/** A change of a spec, with its name. */
export type SpecChange = [what: string, change: (spec: KubeObject) => unknown];

/** Makes objects of the kind with every field of the spec, changed as asked. */
export const fullOf =
  (kind: string) =>
  (name: string, change?: (spec: KubeObject) => unknown): KubeObject => {
    const object = FULL[kind]!(name);
    change?.(object.spec);
    return object;
  };

/** `change` as the change of a whole object. */
export const ofSpec =
  (change: SpecChange[1]): NonNullable<BrokenRule['change']> =>
  ({ spec }) =>
    change(spec);
