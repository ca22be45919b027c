/** Evaluates the CEL rules of our schemas (x-kubernetes-validations), with `oldSelf` for transition rules. */

import { Environment, Optional, type ParseResult } from '@marcbachmann/cel-js';
import { isObject, type Json, listIdentity, type Schema } from './schema.ts';
import { type FieldError, invalidValue, shown } from './status.ts';

const environment = new Environment({
  enableOptionalTypes: true,
  homogeneousAggregateLiterals: false,
  limits: { maxAstNodes: 5000, maxDepth: 500 },
})
  .registerVariable('self', 'dyn')
  .registerVariable('oldSelf', 'dyn');

const compiled = new Map<string, ParseResult>();

function compile(rule: string): ParseResult {
  let program = compiled.get(rule);
  if (!program) {
    program = environment.parse(rule);
    compiled.set(rule, program);
  }
  return program;
}

const optional = (value: unknown): unknown => (value === undefined ? Optional.none() : Optional.of(value));

/** CEL integers are int64, not doubles. */
function celValue(schema: Schema | undefined, value: unknown): unknown {
  if (typeof value === 'number') return schema?.type === 'integer' ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map((item) => celValue(schema?.items, item));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      celValue(schema?.properties?.[name] ?? schema?.additionalProperties, item),
    ]),
  );
}

/**
 * Returns the rules that the object violates. A rule with oldSelf is checked only where an old value exists at the same
 * place, which for list items requires a list of type map. With optionalOldSelf it is always checked, and oldSelf may have
 * no value.
 */
export function checkRules(schema: Schema, self: unknown, oldSelf: unknown, path = ''): FieldError[] {
  const errors: FieldError[] = [];
  const rules = schema['x-kubernetes-validations'] ?? [];
  const now = rules.length > 0 ? celValue(schema, self) : undefined;
  const old = rules.length > 0 && oldSelf !== undefined ? celValue(schema, oldSelf) : undefined;
  for (const rule of rules) {
    const transition = /\boldSelf\b/.test(rule.rule);
    if (transition && old === undefined && !rule.optionalOldSelf) continue;
    const context: Json = { self: now };
    if (transition) context['oldSelf'] = rule.optionalOldSelf ? optional(old) : old;
    // The root has no path; kube-apiserver prints Go's nil.
    const field = `${path}${rule.fieldPath ?? ''}` || '<nil>';
    try {
      if (compile(rule.rule)(context) !== true) {
        const error = invalidValue(field, schema.type ?? '', rule.message ?? `failed rule: ${rule.rule}`);
        errors.push({ ...error, reason: rule.reason ?? error.reason });
      }
    } catch (error) {
      errors.push(
        invalidValue(
          field,
          schema.type ?? '',
          `${(error as Error).message} evaluating rule: ${rule.message ?? rule.rule}`,
        ),
      );
    }
  }
  if (isObject(self)) {
    const old = isObject(oldSelf) ? oldSelf : {};
    for (const [name, value] of Object.entries(self)) {
      const child = schema.properties?.[name] ?? schema.additionalProperties;
      if (child) errors.push(...checkRules(child, value, old[name], path ? `${path}.${name}` : name));
    }
  } else if (Array.isArray(self) && schema.items) {
    const identity = schema['x-kubernetes-list-type'] === 'map' ? listIdentity(schema) : undefined;
    const old = new Map(identity && Array.isArray(oldSelf) ? oldSelf.map((item) => [shown(identity(item)), item]) : []);
    self.forEach((item, i) => {
      errors.push(...checkRules(schema.items!, item, identity && old.get(shown(identity(item))), `${path}[${i}]`));
    });
  }
  return errors;
}
