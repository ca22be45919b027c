/** Checks whether the document describes an answer. */
import { MESSAGES } from '@seqpanel/crds/messages.ts';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { type OpenApiDocument, type Operation, operationsOf } from '../../api/src/openapi/document.ts';
import type { FuzzRequest } from './requests.ts';
import type { FuzzAnswer } from './send.ts';

/** Returns the problem of the answer, or undefined. */
export type Judge = (request: FuzzRequest, answer: FuzzAnswer) => string | undefined;

interface Response {
  $ref?: string;
  content?: Record<string, unknown>;
}

const pointer = (...parts: readonly string[]): string =>
  parts.map((part) => `/${part.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

export function createJudge(document: OpenApiDocument): Judge {
  const ajv = new Ajv2020({ strict: false, formats: { binary: true, int64: true } });
  (formats as unknown as (to: Ajv2020) => void)(ajv);
  ajv.addSchema({ $id: 'openapi', ...document });
  const places = new Map([...operationsOf(document)].map((found) => [found.operation.operationId, found]));

  function against(schema: string, value: unknown): string | undefined {
    const validate = ajv.getSchema(`openapi#${encodeURI(schema)}`);
    if (!validate) throw new Error(`no schema at ${schema}`);
    return validate(value) ? undefined : ajv.errorsText(validate.errors);
  }

  function error({ method }: FuzzRequest, { status, headers, text }: FuzzAnswer): string | undefined {
    if (method === 'HEAD') return undefined;
    if (!/^application\/json/.test(headers['content-type'] ?? '')) return `${status} is no JSON`;
    const body = parsed(text) as { code: string } | undefined;
    const broken = against(pointer('components', 'schemas', 'Error'), body);
    if (broken) return `the error breaks the document: ${broken}`;
    if (!(body!.code in MESSAGES)) return `the code ${body!.code} is not in the catalogue`;
    return undefined;
  }

  function success(
    operation: Operation,
    at: readonly string[],
    { status, headers, text }: FuzzAnswer,
  ): string | undefined {
    const response = operation.responses[String(status)] as Response | undefined;
    if (!response) return `${status} is not in the document`;
    const type = (headers['content-type'] ?? '').split(';')[0]!;
    const types = Object.keys(response.content ?? {});
    if (types.length === 0) return text === '' ? undefined : `${status} has a body`;
    if (types.includes('*/*') || (types.includes(type) && type !== 'application/json')) return undefined;
    if (!types.includes(type)) return `${status} is ${type}, not ${types.join(' or ')}`;
    const broken = against(pointer(...at, 'responses', String(status), 'content', type, 'schema'), parsed(text));
    return broken && `the answer breaks the document: ${broken}`;
  }

  return (request, answer) => {
    const { path, method, operation } = places.get(request.operation)!;
    if (answer.failure) return answer.failure;
    const { status } = answer;
    // Not ready without a cluster, with its own body.
    if (request.operation === 'getReadiness' && status === 503) return undefined;
    if (status >= 500) return `${status}`;
    if (status >= 400) return error(request, answer);
    if (status === 304) return 'if-none-match' in request.headers ? undefined : '304 without If-None-Match';
    // A changed request may match another operation, which its own requests cover.
    const isOwn = request.method === method.toUpperCase() && answer.operation === request.operation;
    return isOwn ? success(operation, ['paths', path, method], answer) : undefined;
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
