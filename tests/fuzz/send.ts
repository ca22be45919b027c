/** Sends a request unchanged, and formats it as a command that repeats it. */
import { writeFileSync } from 'node:fs';
import { Agent, request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FuzzRequest } from './requests.ts';

export interface FuzzAnswer {
  status: number;
  headers: Readonly<Record<string, string>>;
  text: string;
  milliseconds: number;
  /** The operation that the api's matcher finds for the request. */
  operation: string | undefined;
  /** No answer: a timeout or a broken connection. */
  failure?: string;
}

export const PATIENCE_MS = 10_000;

/** Body of checked answers, empty for downloads. */
const MAX_TEXT = 50_000_000;

export type Send = (request: FuzzRequest, token: string | undefined) => Promise<Omit<FuzzAnswer, 'operation'>>;

export function createSend(port: number, atOnce: number): { send: Send; close(): void } {
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce });
  const send: Send = ({ method, target, headers, body }, token) =>
    new Promise((done) => {
      const started = performance.now();
      const end = (answer: Partial<FuzzAnswer>): void => {
        clearTimeout(late);
        done({ status: 0, headers: {}, text: '', ...answer, milliseconds: performance.now() - started });
      };
      const sent = httpRequest({
        port,
        agent,
        method,
        path: target,
        headers: {
          ...headers,
          ...(token && { authorization: `Bearer ${token}` }),
          ...(body && { 'content-length': body.length }),
        },
      });
      const late = setTimeout(() => {
        end({ failure: `no answer within ${PATIENCE_MS} ms` });
        sent.destroy();
      }, PATIENCE_MS);
      sent.on('error', (error: NodeJS.ErrnoException) => end({ failure: `no answer: ${error.code ?? error.message}` }));
      sent.on('response', (answer) => {
        const parts: Buffer[] = [];
        let size = 0;
        answer.on('data', (part: Buffer) => {
          size += part.length;
          if (size < MAX_TEXT) parts.push(part);
        });
        answer.on('error', (error) => end({ failure: `the answer broke off: ${error.message}` }));
        answer.on('end', () =>
          end({
            status: answer.statusCode!,
            headers: answer.headers as Record<string, string>,
            text: Buffer.concat(parts).toString('utf8'),
          }),
        );
      });
      sent.end(body);
    });
  return { send, close: () => agent.destroy() };
}

const MAX_SHOWN = 2_000;
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Writes a body to a file if a shell would change it. */
export function asCommand({ method, target, headers, body, caller, operation }: FuzzRequest, port: number): string {
  const parts = [`curl -i --path-as-is -X ${method}`];
  for (const [name, value] of Object.entries(headers)) parts.push(`-H ${quoted(`${name}: ${value}`)}`);
  if (caller !== 'anonymous') parts.push(`-H 'authorization: Bearer <${caller}>'`);
  if (body) parts.push(`--data-binary ${bodyArgument(operation, body)}`);
  return [...parts, quoted(`http://127.0.0.1:${port}${target}`)].join(' ');
}

function bodyArgument(operation: string, body: Buffer): string {
  const text = body.toString('utf8');
  const isPlain = body.length <= MAX_SHOWN && Buffer.from(text).equals(body) && !text.includes('\0');
  if (isPlain) return quoted(text);
  const file = join(tmpdir(), `fuzz-${operation}-${Date.now()}.body`);
  writeFileSync(file, body);
  return `@${file}`;
}
