import { sessionFetch } from '../../api/client.ts';

/**
 * Saves a file of the api under its name. Through the session's fetch, since a plain link carries no token; throws
 * ApiError when it is refused.
 */
export async function saveFile(path: string, name: string): Promise<void> {
  const response = await sessionFetch(new Request(new URL(path, window.location.origin)));
  const url = URL.createObjectURL(await response.blob());
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
