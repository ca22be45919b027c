/** Finds the bytes of a Genome's source: a file below the storage root, or one fetched from an allowed host. */

import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { GENOME_SOURCES, isBelow } from '@seqpanel/crds/storage.ts';
import { BadInput } from '../step/bad-input.ts';
import type { CheckContext } from '../step/definition.ts';

/** Hosts that genomes may be fetched from, with commas; none by default (DESIGN 4). */
export const ALLOWED_HOSTS_ENV = 'SEQPANEL_GENOME_HOSTS';

export interface Source {
  path?: string;
  url?: string;
  sha256?: string;
}

/** The absolute path of the source and its name for messages; throws BadInput when there is no such file. */
export async function locateSource(
  context: CheckContext,
  source: Source,
  allowedHosts: readonly string[],
): Promise<{ file: string; name: string }> {
  if (source.path !== undefined) {
    if (!isBelow(GENOME_SOURCES, source.path))
      throw new BadInput(source.path, undefined, 'must be below incoming/ or references/');
    const file = `${context.storage}/${source.path}`;
    const found = await stat(file).catch(() => undefined);
    if (!found?.isFile()) throw new BadInput(source.path, undefined, 'there is no such file below the storage root');
    if (found.size === 0) throw new BadInput(source.path, undefined, 'is empty (0 bytes)');
    return { file, name: source.path };
  }
  if (source.url === undefined) throw new BadInput('source', undefined, 'needs a path or a url');
  return fetchSource(context, source.url, source.sha256, allowedHosts);
}

async function fetchSource(
  context: CheckContext,
  url: string,
  expected: string | undefined,
  allowedHosts: readonly string[],
): Promise<{ file: string; name: string }> {
  // With the port where it is not 443, as the operator judges it.
  const { host, protocol, pathname } = new URL(url);
  if (protocol !== 'https:' || !allowedHosts.includes(host))
    throw new BadInput(url, undefined, `genomes may not be fetched from ${host}; ${ALLOWED_HOSTS_ENV} names the hosts`);
  const name = pathname.slice(pathname.lastIndexOf('/') + 1) || host;
  const file = `${context.tmp}/${name.replace(/[^A-Za-z0-9_.-]/g, '_')}`;
  const answer = await fetch(url, { signal: context.signal, redirect: 'error' }).catch((error: Error) => {
    throw new Error(`${url} cannot be fetched: ${reasonOf(error)}`, { cause: error });
  });
  // It may answer another time; the Job tries again.
  if (answer.status === 429 || answer.status >= 500) throw new Error(`${host} answered ${answer.status} for ${name}`);
  if (!answer.ok || !answer.body) throw new BadInput(url, undefined, `the host answered ${answer.status}`);
  const hash = createHash('sha256');
  async function* hashed(source: AsyncIterable<Uint8Array>) {
    for await (const chunk of source) {
      hash.update(chunk);
      yield chunk;
    }
  }
  await pipeline(Readable.fromWeb(answer.body as never), hashed, createWriteStream(file));
  const found = hash.digest('hex');
  if (found !== expected)
    throw new BadInput(url, undefined, `has the SHA-256 ${found}, not ${expected}`, 'hash_mismatch');
  return { file, name };
}

/** fetch says only that it failed; why stands in its cause. */
function reasonOf({ message, cause }: Error): string {
  const { code = '', message: why = message } = (cause ?? {}) as { code?: string; message?: string };
  const untrusted = /^(UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_)/.test(code) && '; the CA of its certificate is not trusted';
  const proxy = process.env['HTTPS_PROXY'];
  // Its host alone: the URL may hold a password.
  return `${why}${untrusted || ''}${proxy ? ` (proxy ${new URL(proxy).host})` : ''}`;
}
