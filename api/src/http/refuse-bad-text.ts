/** Rejects text that Postgres cannot store: NUL and lone surrogates. No field of the document needs them. */
import type { Request, RequestHandler } from 'express';
import { Invalid } from '../errors.ts';
import { stateOf } from './dispatch.ts';

const isBad = (text: string): boolean => text.includes('\0') || !text.isWellFormed();

/**
 * Returns the path of the first bad text or key in a JSON value, else undefined. Iterative, because nesting is
 * unlimited.
 */
export function badTextIn(value: unknown): string | undefined {
  const rest: { value: unknown; path: string }[] = [{ value, path: '' }];
  for (let next = rest.pop(); next; next = rest.pop()) {
    if (typeof next.value === 'string' && isBad(next.value)) return next.path;
    if (typeof next.value !== 'object' || next.value === null) continue;
    for (const [key, child] of Object.entries(next.value)) {
      if (isBad(key)) return next.path;
      if (typeof child === 'string' || typeof child === 'object')
        rest.push({ value: child, path: `${next.path}/${key}` });
    }
  }
  return undefined;
}

/** Runs after the body was read. */
export const refuseBadText: RequestHandler = (req, _res, next) => {
  const field = badTextIn({ query: req.query, body: req.body, files: fileNames(req) });
  if (field === undefined) return next();
  const problem = { field: field.slice(1), message: 'must be text without NUL and without halves of surrogate pairs' };
  next(new Invalid('request_invalid', { problems: [problem] }));
};

const fileNames = (req: Request): string[] => stateOf(req)?.multipart?.files.map(({ name }) => name) ?? [];
