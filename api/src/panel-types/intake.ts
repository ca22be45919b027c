/** The files of a panel type as they come: single parts or a tarball, each given its role by part and name. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { fileNameProblem } from '@seqpanel/crds/account-rules.ts';
import { Invalid } from '../errors.ts';
import type { UploadedFile } from '../feature.ts';

export type FileRole = 'panel' | 'control' | 'control_data' | 'parameters' | 'unknown';

export interface IncomingFile {
  role: FileRole;
  name: string;
  content: Buffer;
  sha256: string;
}

/** A panel's tarball holds a handful of files; what it unpacks to is counted on the way (ASVS 5.2.3). Bytes. */
const TARBALL_MAX_FILES = 120;
const TARBALL_MAX_BYTES = 256 * 1024 * 1024;

const PARTS: Readonly<Record<string, FileRole>> = {
  panel_file: 'panel',
  control_file: 'control',
  control_data_file: 'control_data',
  parameter_files: 'parameters',
  upload_parameter_files: 'parameters',
};

/** Files of the form, those of a tarball unpacked. `value` is the panel's, which names its panel file. */
export async function readIncoming(files: readonly UploadedFile[], value: string): Promise<IncomingFile[]> {
  const incoming: IncomingFile[] = [];
  for (const file of files) {
    if (file.part === 'panel_tarball') incoming.push(...(await unpack(file, value)));
    else incoming.push(describe(PARTS[file.part] ?? 'unknown', file.name, await readFile(file.path)));
  }
  return incoming;
}

function describe(role: FileRole, name: string, content: Buffer): IncomingFile {
  return { role, name, content, sha256: createHash('sha256').update(content).digest('hex') };
}

/** In a tarball a file's name alone says what it is. */
function roleOf(name: string, value: string): FileRole {
  if (name === `${value}.json`) return 'panel';
  if (/\.(data|tsv)(\.gz)?$/i.test(name) || /\.data\.txt$/i.test(name)) return 'control_data';
  if (/\.txt$/i.test(name)) return 'control';
  if (/\.json$/i.test(name)) return 'parameters';
  return 'unknown';
}

async function unpack(file: UploadedFile, value: string): Promise<IncomingFile[]> {
  const { extract } = await import('tar-stream');
  const found: IncomingFile[] = [];
  let bytes = 0;
  const reader = extract();
  const source = createReadStream(file.path);
  const gunzip = createGunzip();
  source.on('error', (error) => gunzip.destroy(error));
  gunzip.on('error', (error) => reader.destroy(error));
  source.pipe(gunzip).pipe(reader as unknown as NodeJS.WritableStream);
  try {
    for await (const entry of reader) {
      const name = basename(entry.header.name); // folders of the archive are left aside, and with them any way up
      const wanted = entry.header.type === 'file' && !name.startsWith('.') && fileNameProblem(name) === undefined;
      const parts: Buffer[] = [];
      for await (const part of entry as unknown as Readable) {
        bytes += (part as Buffer).length;
        if (bytes > TARBALL_MAX_BYTES)
          throw new Invalid('panel_tarball_invalid', { reason: 'it unpacks to more than 256 MB' });
        if (wanted) parts.push(part as Buffer);
      }
      if (!wanted) continue;
      if (found.length >= TARBALL_MAX_FILES)
        throw new Invalid('panel_tarball_invalid', { reason: 'it holds too many files' });
      found.push(describe(roleOf(name, value), name, Buffer.concat(parts)));
    }
  } catch (error) {
    if (error instanceof Invalid) throw error;
    throw new Invalid('panel_tarball_invalid', { reason: (error as Error).message }, { cause: error });
  } finally {
    source.destroy();
  }
  return found;
}
