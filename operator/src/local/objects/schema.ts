/** Structural OpenAPI schemas: pruning, defaulting, validation, with kube-apiserver's messages. */

import { isDeepStrictEqual } from 'node:util';
import { type FieldError, invalidValue, requiredValue, shown } from './status.ts';

/** The part of structural schemas that our CustomResourceDefinitions use. */
export interface Schema {
  type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  description?: string;
  properties?: Record<string, Schema>;
  additionalProperties?: Schema;
  items?: Schema;
  required?: string[];
  default?: unknown;
  enum?: unknown[];
  pattern?: string;
  format?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  maxProperties?: number;
  'x-kubernetes-list-type'?: 'map' | 'set' | 'atomic';
  'x-kubernetes-list-map-keys'?: string[];
  'x-kubernetes-validations'?: {
    rule: string;
    message?: string;
    fieldPath?: string;
    reason?: string;
    optionalOldSelf?: boolean;
  }[];
}

export type Json = Record<string, unknown>;
export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const at = (path: string, name: string) => (path ? `${path}.${name}` : name);

/** Removes unknown fields in place and returns their paths. The root keeps apiVersion, kind, metadata. */
export function prune(schema: Schema, value: unknown, path = ''): string[] {
  if (Array.isArray(value)) {
    return value.flatMap((item, i) => (schema.items ? prune(schema.items, item, `${path}[${i}]`) : []));
  }
  if (!isObject(value)) return [];
  const unknown: string[] = [];
  for (const name of Object.keys(value)) {
    if (path === '' && (name === 'metadata' || name === 'apiVersion' || name === 'kind')) continue;
    const child = schema.properties?.[name] ?? schema.additionalProperties;
    if (child) unknown.push(...prune(child, value[name], at(path, name)));
    else {
      unknown.push(at(path, name));
      delete value[name];
    }
  }
  return unknown;
}

/** Applies defaults in place. */
export function applyDefaults(schema: Schema, value: unknown): void {
  if (Array.isArray(value)) {
    if (schema.items) for (const item of value) applyDefaults(schema.items, item);
  } else if (isObject(value)) {
    for (const [name, child] of Object.entries(schema.properties ?? {})) {
      const absent = value[name] === undefined || value[name] === null;
      if (absent && child.default !== undefined) value[name] = structuredClone(child.default);
      if (value[name] !== undefined) applyDefaults(child, value[name]);
    }
    if (schema.additionalProperties)
      for (const item of Object.values(value)) applyDefaults(schema.additionalProperties, item);
  }
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

/** Returns all schema violations. CEL rules are checked separately (cel.ts). */
export function validate(schema: Schema, value: unknown, path = ''): FieldError[] {
  const type = typeOf(value);
  if (schema.type && type !== schema.type && !(schema.type === 'number' && type === 'integer')) {
    const detail = `${path} in body must be of type ${schema.type}: ${shown(type)}`;
    return [{ ...invalidValue(path, type, detail), reason: 'FieldValueTypeInvalid', blocking: true }];
  }
  const errors: FieldError[] = [];
  const fault = (shownValue: unknown, what: string) =>
    errors.push(invalidValue(path, shownValue, `${path} in body ${what}`));
  if (schema.enum && !schema.enum.some((allowed) => isDeepStrictEqual(allowed, value))) {
    const allowed = schema.enum.map((one) => shown(one)).join(', ');
    const message = `Unsupported value: ${shown(value)}: supported values: ${allowed}`;
    errors.push({ reason: 'FieldValueNotSupported', field: path, message, blocking: true });
  }
  if (typeof value === 'string') validateText(schema, value, path, errors, fault);
  else if (typeof value === 'number') {
    if (schema.minimum !== undefined && value < schema.minimum)
      fault(value, `should be greater than or equal to ${schema.minimum}`);
    if (schema.maximum !== undefined && value > schema.maximum)
      fault(value, `should be less than or equal to ${schema.maximum}`);
  } else if (Array.isArray(value)) validateList(schema, value, path, errors, fault);
  else if (isObject(value)) {
    for (const name of schema.required ?? []) {
      if (value[name] === undefined) errors.push(requiredValue(at(path, name)));
    }
    if (schema.maxProperties !== undefined && Object.keys(value).length > schema.maxProperties) {
      errors.push(tooMany(path, Object.keys(value).length, schema.maxProperties));
    }
    for (const [name, item] of Object.entries(value)) {
      const child = schema.properties?.[name] ?? schema.additionalProperties;
      if (child && item !== undefined) errors.push(...validate(child, item, at(path, name)));
    }
  }
  return errors;
}

type Fault = (shownValue: unknown, what: string) => void;

const patterns = new Map<string, RegExp>();
function matches(pattern: string, text: string): boolean {
  let compiled = patterns.get(pattern);
  if (!compiled) {
    compiled = new RegExp(pattern, 'u');
    patterns.set(pattern, compiled);
  }
  return compiled.test(text);
}

function validateText(schema: Schema, text: string, path: string, errors: FieldError[], fault: Fault): void {
  const length = [...text].length;
  if (schema.maxLength !== undefined && length > schema.maxLength) {
    const bytes = schema.maxLength === 1 ? 'byte' : 'bytes';
    const message = `Too long: may not be more than ${schema.maxLength} ${bytes}`;
    errors.push({ reason: 'FieldValueTooLong', field: path, message, blocking: true });
  }
  if (schema.minLength !== undefined && length < schema.minLength)
    fault(text, `should be at least ${schema.minLength} chars long`);
  if (schema.pattern !== undefined && !matches(schema.pattern, text)) fault(text, `should match '${schema.pattern}'`);
  if (schema.format === 'date-time' && !(/^\d{4}-\d\d-\d\dT/.test(text) && !Number.isNaN(Date.parse(text)))) {
    fault(text, `must be of type date-time: ${shown(text)}`);
  }
}

function tooMany(path: string, count: number, max: number): FieldError {
  const message = `Too many: ${count}: must have at most ${max} ${max === 1 ? 'item' : 'items'}`;
  return { reason: 'FieldValueTooMany', field: path, message, blocking: true };
}

function validateList(schema: Schema, list: unknown[], path: string, errors: FieldError[], fault: Fault): void {
  if (schema.maxItems !== undefined && list.length > schema.maxItems)
    errors.push(tooMany(path, list.length, schema.maxItems));
  if (schema.minItems !== undefined && list.length < schema.minItems) {
    fault(list.length, `should have at least ${schema.minItems} items`);
  }
  for (const [i, item] of list.entries())
    if (schema.items) errors.push(...validate(schema.items, item, `${path}[${i}]`));
  const identity = listIdentity(schema);
  if (!identity) return;
  const seen = new Set<string>();
  list.forEach((item, i) => {
    const id = shown(identity(item));
    if (seen.has(id))
      errors.push({ reason: 'FieldValueDuplicate', field: `${path}[${i}]`, message: `Duplicate value: ${id}` });
    seen.add(id);
  });
}

/** Returns what identifies the items of a list of type map or set. */
export function listIdentity(schema: Schema): ((item: unknown) => unknown) | undefined {
  if (schema['x-kubernetes-list-type'] === 'set') return (item) => item;
  if (schema['x-kubernetes-list-type'] !== 'map') return undefined;
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  return (item) => (isObject(item) ? Object.fromEntries(keys.map((key) => [key, item[key]])) : item);
}
