/** Calls that were sent while the console's code was still loading, by path. */
const sent = new Map<string, Promise<Response>>();

/** Sends a call before the fetch client is loaded; the client takes over its answer. */
export function sendEarly(path: string, body: unknown): void {
  const answer = window.fetch(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  // A failure is reported by the caller that takes the answer.
  answer.catch(() => undefined);
  sent.set(path, answer);
}

/** Returns the answer of a call that was sent early; once, because a later call needs a new answer. */
export function takeEarly(request: Request): Promise<Response> | undefined {
  if (request.method !== 'POST') return undefined;
  const { pathname } = new URL(request.url);
  const answer = sent.get(pathname);
  sent.delete(pathname);
  return answer;
}
