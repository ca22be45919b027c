/** Writes output.zip. The same files give the same bytes. */

import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';

export interface ZipEntry {
  /** Path inside the zip, in a sample's folder, `common` or `log`. */
  path: string;
  /** Absolute path of the file. */
  file: string;
}

/** Earliest day that ZIP can store. ZIP has no time zone. */
const NO_TIME = new Date(1980, 0, 1);
/** Already compressed file types, which are stored as they are. */
const PACKED = /\.(gz|bam|bai|tbi|zip|bw)$/;

/** Writes the entries in the order of their paths. */
export async function writeZip(to: string, entries: readonly ZipEntry[]): Promise<void> {
  const zip = new ZipFile();
  for (const { path, file } of entries.toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0)))
    zip.addFile(file, path, { mtime: NO_TIME, mode: 0o100644, compress: !PACKED.test(path) });
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(to));
}
