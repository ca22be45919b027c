/** Validates a panel file against the published JSON Schema. Node only, because it reads the schema file. */

import { readFileSync } from 'node:fs';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Problem } from './problem.ts';

/** Most problems reported at once. */
const MAX_PROBLEMS = 50;

let compiled: ValidateFunction | undefined;

function validator(): ValidateFunction {
  compiled ??= new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true }).compile(
    JSON.parse(readFileSync(new URL('../schemas/panel.schema.json', import.meta.url), 'utf8')),
  );
  return compiled;
}

/** Converts ajv's `/amplicons/3/insert` to `amplicons[3].insert`. */
function pathOf(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part.replaceAll('~1', '/').replaceAll('~0', '~')}`))
    .join('')
    .replace(/^\./, '');
}

function messageOf(error: ErrorObject): string {
  if (error.keyword === 'additionalProperties') return `has an unknown field "${error.params.additionalProperty}"`;
  if (error.keyword === 'required') return `lacks the field "${error.params.missingProperty}"`;
  if (error.keyword === 'enum') return `must be one of ${(error.params.allowedValues as unknown[]).join(', ')}`;
  if (error.keyword === 'const') return `must be ${error.params.allowedValue}`;
  return error.message ?? `is not valid (${error.keyword})`;
}

/** Returns the schema problems of a document. Empty for a valid panel file. */
export function panelShapeProblems(document: unknown): Problem[] {
  const validate = validator();
  if (validate(document)) return [];
  return (validate.errors ?? []).slice(0, MAX_PROBLEMS).map((error) => ({
    path: pathOf(error.instancePath),
    message: messageOf(error),
  }));
}
