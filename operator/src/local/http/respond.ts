/** Responses: JSON, text, and errors as Status bodies. */

import type { ServerResponse } from 'node:http';
import { ApiError } from '../objects/status.ts';

/** Responds with the error's Status; 500 for unexpected errors. */
export function refuse(response: ServerResponse, error: unknown): void {
  if (response.headersSent) return void response.destroy();
  const refusal =
    error instanceof ApiError
      ? error
      : new ApiError(500, 'InternalError', `Internal error occurred: ${(error as Error).message}`);
  if (!(error instanceof ApiError)) console.error(error);
  if (refusal.code === 413) response.setHeader('connection', 'close');
  json(response, refusal.code, refusal.body);
}

export function send(response: ServerResponse, code: number, body: string, type = 'application/json'): void {
  response.writeHead(code, { 'content-type': type, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}
export const json = (response: ServerResponse, code: number, body: unknown) =>
  send(response, code, JSON.stringify(body));
export const text = (response: ServerResponse, code: number, body: string) => send(response, code, body, 'text/plain');
