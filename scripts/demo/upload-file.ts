import { open, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { API, type RestClient, RestFailure } from './rest-client.ts';

/** Bytes per PATCH. An interrupted upload resumes at the server's offset. */
const CHUNK = 16 * 1024 * 1024;

/**
 * Uploads one file into a project by tus (https://tus.io/protocols/resumable-upload). `onBytes` receives the
 * number of bytes that the server holds. Throws RestFailure with the server's reason when the file is rejected.
 */
export async function uploadFile(
  client: RestClient,
  target: { group: string; project: string; path: string; name?: string },
  onBytes: (sent: number, size: number) => void = () => {},
): Promise<void> {
  const { size } = await stat(target.path);
  const name = target.name ?? basename(target.path);
  const metadata = { project: target.project, filename: name };
  const created = await client.raw(`${API}/${target.group}/uploads`, {
    method: 'POST',
    headers: {
      'tus-resumable': '1.0.0',
      'upload-length': String(size),
      'upload-metadata': Object.entries(metadata)
        .map(([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`)
        .join(','),
    },
  });
  if (created.status !== 201) throw await failure(`upload of ${name}`, created);
  const location = new URL(created.headers.get('location')!, client.baseUrl);
  const file = await open(target.path);
  try {
    const chunk = Buffer.alloc(Math.min(CHUNK, Math.max(size, 1)));
    let offset = 0;
    do {
      const { bytesRead } = await file.read(chunk, 0, chunk.length, offset);
      const sent = await client.raw(location.pathname + location.search, {
        method: 'PATCH',
        headers: {
          'tus-resumable': '1.0.0',
          'upload-offset': String(offset),
          'content-type': 'application/offset+octet-stream',
        },
        body: chunk.subarray(0, bytesRead),
      });
      if (sent.status !== 204) throw await failure(`upload of ${name}`, sent);
      offset = Number(sent.headers.get('upload-offset'));
      onBytes(offset, size);
    } while (offset < size);
  } finally {
    await file.close();
  }
}

async function failure(call: string, response: Response): Promise<RestFailure> {
  const text = await response.text();
  try {
    const error = JSON.parse(text) as { code: string; message: string; DISPLAY_ERROR_MESSAGE?: string };
    return new RestFailure(call, {
      status: response.status,
      code: error.code,
      message: error.DISPLAY_ERROR_MESSAGE ?? error.message,
    });
  } catch {
    return new RestFailure(call, { status: response.status, code: 'no_code', message: text.slice(0, 300) });
  }
}
