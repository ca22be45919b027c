/** Parses the body of a watch: one JSON event per line. */

import { errorFor } from './errors.ts';
import type { KubeObject, StatusBody, WatchEvent } from './objects.ts';
import { type KubeBody, type KubeRequest, noAnswer } from './transport.ts';

interface ErrorEvent {
  type: 'ERROR';
  object: StatusBody;
}

export async function* watchEvents<T extends KubeObject>(
  body: KubeBody,
  request: Pick<KubeRequest, 'method' | 'path' | 'signal'>,
): AsyncGenerator<WatchEvent<T>> {
  for await (const line of lines(body, request)) {
    const event = parse<T>(line, request);
    if (event.type === 'ERROR') throw errorFor(event.object.code ?? 500, event.object);
    yield event;
  }
}

function parse<T extends KubeObject>(line: string, request: Pick<KubeRequest, 'method' | 'path' | 'signal'>) {
  try {
    return JSON.parse(line) as WatchEvent<T> | ErrorEvent;
  } catch (error) {
    throw noAnswer(error, request);
  }
}

/** Yields the lines of the stream. An incomplete last line means an interrupted answer and throws. */
async function* lines(
  body: KubeBody,
  request: Pick<KubeRequest, 'method' | 'path' | 'signal'>,
): AsyncGenerator<string> {
  body.setEncoding('utf8');
  // Join the chunks of a long line once: an AnalysisTask may have 512 KiB.
  let parts: string[] = [];
  const chunks = (body as AsyncIterable<string>)[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await chunks.next().catch((error: unknown) => {
        throw noAnswer(error, request);
      });
      if (next.done) break;
      const split = next.value.split('\n');
      parts.push(split[0] ?? '');
      for (let i = 1; i < split.length; i++) {
        const line = parts.join('');
        parts = [split[i] ?? ''];
        if (line !== '') yield line;
      }
    }
  } finally {
    body.destroy();
  }
  if (parts.join('') !== '') throw noAnswer(new Error('the answer ended inside a line'), request);
}
