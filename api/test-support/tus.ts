/** A minimal tus client for tests: creates uploads, sends parts, asks for the offset. */
import type { Answer, TestApi, TestUser } from './api.ts';

export interface TusTarget {
  api: Pick<TestApi, 'call' | 'url'>;
  user: Pick<TestUser, 'token'>;
  group: string;
  project: string;
}

const TUS = { 'tus-resumable': '1.0.0' };

export function createUpload(
  { api, user, group, project }: TusTarget,
  filename: string | undefined,
  size: number | undefined,
  more: Record<string, string> = {},
): Promise<Answer> {
  const metadata = { project, ...(filename !== undefined && { filename }), ...more };
  const encoded = Object.entries(metadata).map(([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`);
  return api.call('POST', `/api/v1/pivat/${group}/uploads`, {
    token: user.token,
    headers: {
      ...TUS,
      'upload-metadata': encoded.join(','),
      ...(size === undefined ? { 'upload-defer-length': '1' } : { 'upload-length': String(size) }),
    },
  });
}

export async function sendBytes(
  { api, user }: Pick<TusTarget, 'api' | 'user'>,
  location: string,
  offset: number,
  bytes: Buffer,
): Promise<Answer> {
  const answer = await fetch(new URL(location, api.url), {
    method: 'PATCH',
    headers: {
      ...TUS,
      authorization: `Bearer ${user.token}`,
      'upload-offset': String(offset),
      'content-type': 'application/offset+octet-stream',
    },
    body: new Uint8Array(bytes),
  });
  const text = await answer.text();
  return { status: answer.status, body: text.startsWith('{') ? JSON.parse(text) : text, headers: answer.headers };
}

export const askOffset = ({ api, user }: Pick<TusTarget, 'api' | 'user'>, location: string): Promise<Answer> =>
  api.call('HEAD', location, { token: user.token, headers: TUS });

export const cancelUpload = ({ api, user }: Pick<TusTarget, 'api' | 'user'>, location: string): Promise<Answer> =>
  api.call('DELETE', location, { token: user.token, headers: TUS });

/** Uploads a whole file and returns the last answer, also when it is a rejection. */
export async function uploadFile(target: TusTarget, filename: string, bytes: Buffer): Promise<Answer> {
  const created = await createUpload(target, filename, bytes.length);
  if (created.status !== 201) return created;
  return await sendBytes(target, created.headers.get('location')!, 0, bytes);
}
