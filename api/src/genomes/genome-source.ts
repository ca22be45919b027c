/** Checks where a genome is installed from: a file in incoming/ below the storage root, or a URL of an allowed host. */
import { Invalid } from '../errors.ts';
import { LinkRefused, placeIn, statEntry } from '../storage/inside-storage.ts';

export interface GenomeSource {
  path?: string;
  url?: string;
  sha256?: string;
}

const PATH = /^incoming(\/[A-Za-z0-9_.-]+)+$/;

/** Throws unless the path exists below incoming/ and contains no symbolic link. */
export async function checkStoragePath(storageDir: string, path: string): Promise<void> {
  if (!PATH.test(path) || path.split('/').some((part) => /^\.+$/.test(part)))
    throw new Invalid('genome_source_outside');
  await statEntry(placeIn(storageDir, path)).catch((cause) => {
    if (cause instanceof LinkRefused) throw new Invalid('genome_source_outside', undefined, { cause });
    throw new Invalid('genome_source_missing', { path }, { cause });
  });
}

/** `hosts`: comma-separated. Empty, the default, rejects all URLs. */
export async function checkSource(storageDir: string, hosts: string, source: GenomeSource | undefined): Promise<void> {
  if (!source || (source.path === undefined) === (source.url === undefined))
    throw new Invalid('genome_source_required');
  if (source.path !== undefined) return await checkStoragePath(storageDir, source.path);
  const allowed = hosts
    .split(',')
    .map((host) => host.trim().toLowerCase())
    .filter(Boolean);
  const url = URL.parse(source.url!);
  const good = url?.protocol === 'https:' && allowed.includes(url.hostname.toLowerCase()) && source.sha256;
  if (!good) throw new Invalid('genome_url_not_allowed');
}
