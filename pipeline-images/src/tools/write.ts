import type { Writable } from 'node:stream';

/** Writes with back-pressure: resolves when the reader has taken the piece, rejects when it is gone. */
export function write(stream: Writable, chunk: Buffer | string): Promise<void> {
  return new Promise((done, failed) => {
    stream.write(chunk, (error) => (error ? failed(error) : done()));
  });
}
