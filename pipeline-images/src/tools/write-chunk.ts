import type { Writable } from 'node:stream';

/** Writes a chunk. Resolves when the stream has accepted it, rejects when the stream is closed. */
export function write(stream: Writable, chunk: Buffer | string): Promise<void> {
  return new Promise((done, failed) => {
    stream.write(chunk, (error) => (error ? failed(error) : done()));
  });
}
