/** Sends a request with its path unchanged, because fetch would resolve dots and encode characters. */
import { Agent, type OutgoingHttpHeaders, request } from 'node:http';

const agent = new Agent({ keepAlive: true, maxSockets: 8 });

export interface RawAnswer {
  status: number;
  text: string;
}

export function rawRequest(
  url: string,
  method: string,
  path: string,
  headers: OutgoingHttpHeaders = {},
  body?: string,
): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, method, path, headers, agent }, (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.on('error', reject);
      answer.on('end', () => resolve({ status: answer.statusCode!, text: Buffer.concat(parts).toString('latin1') }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
