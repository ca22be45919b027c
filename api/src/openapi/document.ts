/**
 * Merges openapi/ into one document. Files in paths/ define paths, files in schemas/ define components.schemas. Adds
 * what all operations have in common: the `default` error answer, path parameters (`group` as declared in the head,
 * undeclared ones as UUIDs) and security, derived from `x-role`.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

/** Roles of operations. `file-token`: the handler checks a token that is valid for one file. */
export const ROLES = [
  'public',
  'file-token',
  'user',
  'group-member',
  'group-admin',
  'staff-or-group-admin',
  'staff',
] as const;
export type Role = (typeof ROLES)[number];

export interface Operation {
  operationId: string;
  'x-role': Role;
  /** `stream`: the handler reads the body itself. */
  'x-body'?: 'stream';
  /** Largest JSON body in bytes, where it exceeds the default (http/body-limits.ts). */
  'x-max-body'?: number;
  parameters?: unknown[];
  requestBody?: { content?: Readonly<Record<string, unknown>> };
  responses: Record<string, unknown>;
  security?: unknown[];
}

export type PathItem = Record<string, Operation>;

export interface OpenApiDocument {
  openapi: string;
  paths: Record<string, PathItem>;
  components: Record<string, Record<string, unknown>>;
  [key: string]: unknown;
}

const METHODS = new Set(['get', 'put', 'post', 'delete', 'options', 'head', 'patch']);
const ROOT = join(import.meta.dirname, '..', '..', 'openapi');

/** Throws, naming file and place, when files contradict each other or an operation lacks an id or role. */
export function buildDocument(root: string = ROOT): OpenApiDocument {
  const document = readYaml(join(root, 'openapi.yaml')) as unknown as OpenApiDocument;
  document.paths = {};
  document.components['schemas'] = {};
  for (const [name, content] of yamlFiles(join(root, 'schemas'))) {
    for (const [schema, value] of Object.entries(content)) {
      if (schema in document.components['schemas']) throw new Error(`${name}: schema ${schema} is defined twice`);
      document.components['schemas'][schema] = value;
    }
  }
  for (const [name, content] of yamlFiles(join(root, 'paths'))) {
    for (const [path, item] of Object.entries(content as Record<string, PathItem>)) {
      if (path.endsWith('/')) throw new Error(`${name}: ${path} must not end in a slash; both forms are served`);
      if (path in document.paths) throw new Error(`${name}: path ${path} is defined twice`);
      document.paths[path] = item;
    }
  }
  const ids = new Set<string>();
  for (const { path, method, operation } of operationsOf(document)) {
    const where = `${method.toUpperCase()} ${path}`;
    if (!operation.operationId) throw new Error(`${where}: no operationId`);
    if (ids.has(operation.operationId)) throw new Error(`${where}: operationId ${operation.operationId} is used twice`);
    ids.add(operation.operationId);
    if (!ROLES.includes(operation['x-role'])) throw new Error(`${where}: no x-role, or one that does not exist`);
    complete(path, operation);
  }
  return document;
}

/** Yields every operation of the document, in order. */
export function* operationsOf(
  document: OpenApiDocument,
): Generator<{ path: string; method: string; operation: Operation }> {
  for (const [path, item] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(item)) {
      if (METHODS.has(method)) yield { path, method, operation };
    }
  }
}

export const takesJson = (operation: Operation): boolean =>
  operation.requestBody?.content?.['application/json'] !== undefined;

export const takesForm = (operation: Operation): boolean =>
  operation.requestBody?.content?.['multipart/form-data'] !== undefined;

function complete(path: string, operation: Operation): void {
  const declared = new Set((operation.parameters ?? []).map((parameter) => (parameter as { name?: string }).name));
  for (const [, name] of path.matchAll(/\{(\w+)\}/g)) {
    if (declared.has(name)) continue;
    operation.parameters ??= [];
    operation.parameters.push(
      name === 'group'
        ? { $ref: '#/components/parameters/Group' }
        : { name, in: 'path', required: true, schema: { type: 'string', format: 'uuid' } },
    );
  }
  operation.responses['default'] ??= { $ref: '#/components/responses/Error' };
  const open = operation['x-role'] === 'public' || operation['x-role'] === 'file-token';
  operation.security = open ? [] : [{ bearer: [] }];
}

function* yamlFiles(folder: string): Generator<[string, Record<string, unknown>]> {
  for (const name of readdirSync(folder).sort()) {
    if (name.endsWith('.yaml')) yield [name, readYaml(join(folder, name))];
  }
}

function readYaml(file: string): Record<string, unknown> {
  return (parse(readFileSync(file, 'utf8')) ?? {}) as Record<string, unknown>;
}
