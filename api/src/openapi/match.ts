/**
 * Finds the operation of a request by method and path, with or without a trailing slash. Literal parts win over
 * parameters.
 */
import { type OpenApiDocument, type Operation, operationsOf } from './document.ts';

export interface Match {
  operation: Operation;
  params: Record<string, string>;
  path: string;
}

/**
 * Undefined: no such path, or a parameter that is not a valid name (nameIn). `allow`: the path exists with other
 * methods.
 */
export type Matcher = (method: string, path: string) => Match | { allow: string[] } | undefined;

interface Entry {
  pattern: RegExp;
  names: string[];
  /** Sort key: literal parts before parameters, from the left. */
  key: string;
  path: string;
  operations: Map<string, Operation>;
}

export function createMatcher(document: OpenApiDocument): Matcher {
  const entries = new Map<string, Entry>();
  for (const { path, method, operation } of operationsOf(document)) {
    let entry = entries.get(path);
    if (!entry) {
      entry = compile(path);
      entries.set(path, entry);
    }
    entry.operations.set(method, operation);
  }
  const sorted = [...entries.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
  return (method, path) => {
    const allow: string[] = [];
    for (const entry of sorted) {
      const found = entry.pattern.exec(path);
      if (!found) continue;
      const operation = entry.operations.get(method.toLowerCase());
      if (!operation) {
        allow.push(...[...entry.operations.keys()].map((name) => name.toUpperCase()));
        continue;
      }
      const params = paramsOf(entry.names, found.slice(1));
      if (params) return { operation, params, path: entry.path };
    }
    return allow.length > 0 ? { allow } : undefined;
  };
}

function compile(path: string): Entry {
  const names: string[] = [];
  const pattern = path.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{(\w+)\}/g, (_, name: string) => {
    names.push(name);
    return '([^/]+)';
  });
  const key = path
    .split('/')
    .map((part) => (part.startsWith('{') ? '1' : `0${part}`))
    .join('/');
  return { pattern: new RegExp(`^${pattern}/?$`), names, key, path, operations: new Map() };
}

function paramsOf(names: readonly string[], parts: readonly string[]): Record<string, string> | undefined {
  const params: Record<string, string> = {};
  for (const [i, name] of names.entries()) {
    const value = nameIn(parts[i]!);
    if (value === undefined) return undefined;
    params[name] = value;
  }
  return params;
}

/**
 * Decodes one part of a path. Returns undefined for invalid percent-encoding and for values that a file system reads as
 * several names or a parent folder, so that no handler joins them to a folder.
 */
function nameIn(part: string): string | undefined {
  try {
    const value = decodeURIComponent(part);
    return /[/\\\0]/.test(value) || value === '.' || value === '..' ? undefined : value;
  } catch {
    return undefined;
  }
}
