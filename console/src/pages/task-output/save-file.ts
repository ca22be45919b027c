import { sessionFetch } from '../../api/client.ts';
import { saveBlob } from '../../components/save-blob.ts';

/**
 * Downloads a file of the api under its name. Uses the session's fetch, because a plain link sends no token. Throws
 * ApiError.
 */
export async function saveFile(path: string, name: string): Promise<void> {
  const response = await sessionFetch(new Request(new URL(path, window.location.origin)));
  saveBlob(await response.blob(), name);
}
