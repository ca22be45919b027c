/** The write strategy of each kind: defaults, pruning, validation, default deletion. */

import { isDeepStrictEqual } from 'node:util';
import type { ConfigMap } from '@seqpanel/crds/kube/core-types.ts';
import { checkRules } from './cel.ts';
import { jobStrategy } from './job-strategy.ts';
import { podStrategy } from './pod-strategy.ts';
import type { ResourceType } from './resources.ts';
import { applyDefaults, prune, validate } from './schema.ts';
import { badRequest, type FieldError, forbiddenValue } from './status.ts';
import type { Strategy } from './strategy.ts';

const plain: Strategy = { prepare: () => [], validate: () => [], deletePolicy: 'Background' };

/** Custom resources: the schema defines everything. */
const custom: Strategy = {
  deletePolicy: 'Background',
  prepare(object, old, type) {
    if (!old && type.status) delete object['status'];
    const unknown = prune(type.schema!, object);
    applyDefaults(type.schema!, object);
    return unknown;
  },
  validate(object, old, type) {
    const schema = type.schema!;
    const errors = validate(schema, object);
    if (errors.some(({ blocking }) => blocking)) {
      const message =
        'Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation';
      return [...errors, { reason: 'FieldValueInvalid', field: '<nil>', message }];
    }
    return [...errors, ...checkRules(schema, object, old)];
  },
};

const CONFIG_MAP_MAX_BYTES = 1024 * 1024;

const configMap: Strategy = {
  deletePolicy: 'Background',
  prepare(object) {
    for (const [key, value] of Object.entries((object as ConfigMap).data ?? {})) {
      if (typeof value !== 'string') {
        throw badRequest(
          `ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal ${typeof value} into Go struct field ConfigMap.data of type string (key ${key})`,
        );
      }
    }
    return [];
  },
  validate(object, old) {
    const errors: FieldError[] = [];
    const map = object as ConfigMap;
    const before = old as ConfigMap | undefined;
    const size = Object.entries(map.data ?? {}).reduce(
      (sum, [key, value]) => sum + key.length + Buffer.byteLength(value),
      0,
    );
    if (size > CONFIG_MAP_MAX_BYTES) {
      errors.push({
        reason: 'FieldValueTooLong',
        field: '',
        message: `Too long: may not be more than ${CONFIG_MAP_MAX_BYTES} bytes`,
      });
    }
    const why = 'field is immutable when `immutable` is set';
    if (before?.immutable) {
      if (!map.immutable) errors.push(forbiddenValue('immutable', why));
      if (!isDeepStrictEqual(map.data, before.data)) errors.push(forbiddenValue('data', why));
    }
    return errors;
  },
};

const namespace: Strategy = {
  ...plain,
  prepare(object, old) {
    object.metadata.labels = { ...object.metadata.labels, 'kubernetes.io/metadata.name': object.metadata.name ?? '' };
    object['spec'] ??= { finalizers: ['kubernetes'] };
    if (!old) object['status'] = { phase: 'Active' };
    return [];
  },
};

const STRATEGIES: Record<string, Strategy> = {
  Job: jobStrategy,
  Pod: podStrategy,
  ConfigMap: configMap,
  Namespace: namespace,
};

export const strategyFor = (type: ResourceType): Strategy => (type.schema ? custom : (STRATEGIES[type.kind] ?? plain));
