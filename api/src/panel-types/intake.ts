/** Reads uploaded files of a panel type, single parts or a tarball, and assigns each a role by part and name. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { fileNameProblem } from '@seqpanel/crds/account-rules.ts';
import { AppError, Invalid } from '../errors.ts';
import type { UploadedFile } from '../feature.ts';
import {
  checkFormSizes,
  checkSize,
  type FileRole,
  INTAKE_MAX_BYTES,
  roleOfPart,
  TARBALL,
  TARBALL_MAX_FILES,
  TARBALL_OVERHEAD_BYTES,
} from './intake-limits.ts';

export interface IncomingFile {
  role: FileRole;
  name: string;
  content: Buffer;
  sha256: string;
}

/**
 * Returns the files of the form, with tarballs unpacked. `value` is the panel's value, which names its panel file.
 * Throws before reading anything when a part is unknown or a size exceeds its limit.
 */
export async function readIncoming(files: readonly UploadedFile[], value: string): Promise<IncomingFile[]> {
  checkFormSizes(files);
  const incoming: IncomingFile[] = [];
  let bytes = files.reduce((sum, { part, size }) => (part === TARBALL ? sum : sum + size), 0);
  for (const file of files) {
    const role = roleOfPart(file);
    if (role === 'tarball') {
      const unpacked = await unpack(file, value, bytes);
      bytes = unpacked.reduce((sum, { content }) => sum + content.length, bytes);
      incoming.push(...unpacked);
    } else incoming.push(describe(role, file.name, await readFile(file.path)));
  }
  return incoming;
}

function describe(role: FileRole, name: string, content: Buffer): IncomingFile {
  return { role, name, content, sha256: createHash('sha256').update(content).digest('hex') };
}

/** Returns the role of a file in a tarball by its name. */
function roleOf(name: string, value: string): FileRole {
  if (name === `${value}.json`) return 'panel';
  if (/\.(data|tsv)(\.gz)?$/i.test(name) || /\.data\.txt$/i.test(name)) return 'control_data';
  if (/\.txt$/i.test(name)) return 'control';
  if (/\.json$/i.test(name)) return 'parameters';
  return 'unknown';
}

/** Limits the unpacked bytes during unpacking (ASVS 5.2.3), after `bytesBefore` of the call's other files. */
async function unpack(file: UploadedFile, value: string, bytesBefore: number): Promise<IncomingFile[]> {
  const { extract } = await import('tar-stream');
  const found: IncomingFile[] = [];
  let bytes = bytesBefore;
  const reader = extract();
  const source = createReadStream(file.path);
  const gunzip = createGunzip();
  source.on('error', (error) => gunzip.destroy(error));
  gunzip.on('error', (error) => reader.destroy(error));
  let unpacked = 0;
  gunzip.on('data', (chunk: Buffer) => {
    unpacked += chunk.length;
    if (unpacked > INTAKE_MAX_BYTES + TARBALL_OVERHEAD_BYTES) {
      source.destroy();
      gunzip.destroy(new AppError(413, 'form_files_too_large', { limit: INTAKE_MAX_BYTES / 1024 / 1024 }));
    }
  });
  source.pipe(gunzip).pipe(reader as unknown as NodeJS.WritableStream);
  try {
    for await (const entry of reader) {
      const name = basename(entry.header.name); // drops folders, and with them any path traversal
      const wanted = entry.header.type === 'file' && !name.startsWith('.') && fileNameProblem(name) === undefined;
      if (wanted && found.length >= TARBALL_MAX_FILES)
        throw new Invalid('panel_tarball_invalid', { reason: 'it holds too many files' });
      const role = roleOf(name, value);
      const parts: Buffer[] = [];
      let own = 0;
      for await (const part of entry as unknown as Readable) {
        own += (part as Buffer).length;
        bytes += (part as Buffer).length;
        checkSize(role, wanted ? name : file.name, wanted ? own : 0, bytes);
        if (wanted) parts.push(part as Buffer);
      }
      if (wanted) found.push(describe(role, name, Buffer.concat(parts)));
    }
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new Invalid('panel_tarball_invalid', { reason: (error as Error).message }, { cause: error });
  } finally {
    source.destroy();
    gunzip.destroy();
  }
  return found;
}
