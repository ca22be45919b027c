/** Locates a Genome's source: a file below the storage root, or a download from an allowed host. */

import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { GENOME_SOURCES, isBelow } from '@seqpanel/crds/storage.ts';
import { BadInput } from '../runner/bad-input.ts';
import type { CheckContext } from '../runner/step-definition.ts';

/** Comma-separated hosts that genomes may be downloaded from. None by default. */
export const ALLOWED_HOSTS_ENV = 'SEQPANEL_GENOME_HOSTS';

export interface Source {
  path?: string;
  url?: string;
  sha256?: string;
}

/** Returns the source's absolute path and its name in messages. Throws BadInput when it does not exist. */
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
    if (!found?.isFile()) throw new BadInput(source.path, undefined, 'file not found below the storage root');
    if (found.size === 0) throw new BadInput(source.path, undefined, 'empty file (0 bytes)');
    return { file, name: source.path };
  }
  if (source.url === undefined) throw new BadInput('source', undefined, 'set path or url');
  return fetchSource(context, source.url, source.sha256, allowedHosts);
}

async function fetchSource(
  context: CheckContext,
  url: string,
  expected: string | undefined,
  allowedHosts: readonly string[],
): Promise<{ file: string; name: string }> {
  // Include a port other than 443, as the operator does.
  const { host, protocol, pathname } = new URL(url);
  if (protocol !== 'https:' || !allowedHosts.includes(host))
    throw new BadInput(url, undefined, `the host ${host} is not allowed; add it to ${ALLOWED_HOSTS_ENV}`);
  const name = pathname.slice(pathname.lastIndexOf('/') + 1) || host;
  const file = `${context.tmp}/${name.replace(/[^A-Za-z0-9_.-]/g, '_')}`;
  const answer = await fetch(url, { signal: context.signal, redirect: 'error' }).catch((error: Error) => {
    throw new Error(`fetching ${url} failed: ${reasonOf(error)}`, { cause: error });
  });
  // The error may be temporary, so let the Job retry.
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
    throw new BadInput(url, undefined, `has SHA-256 ${found}, expected ${expected}`, 'hash_mismatch');
  return { file, name };
}

/** Returns the cause of a fetch error. Its own message only says that it failed. */
function reasonOf({ message, cause }: Error): string {
  const { code = '', message: why = message } = (cause ?? {}) as { code?: string; message?: string };
  const untrusted = /^(UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_)/.test(code) && '; the CA of its certificate is not trusted';
  const proxy = process.env['HTTPS_PROXY'];
  // Only the host: the URL may contain a password.
  return `${why}${untrusted || ''}${proxy ? ` (proxy ${new URL(proxy).host})` : ''}`;
}
