import { sessionFetch } from '../../api/client.ts';
import { saveBlob } from '../../components/save-blob.ts';

/**
 * Saves a file of the api under its name. Through the session's fetch, since a plain link carries no token; throws
 * ApiError when it is refused.
 */
export async function saveFile(path: string, name: string): Promise<void> {
  const response = await sessionFetch(new Request(new URL(path, window.location.origin)));
  saveBlob(await response.blob(), name);
}
