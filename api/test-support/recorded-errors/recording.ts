/** Collects error answers of a running api in a form that is the same in each run. */
import type { Answer } from '../api.ts';

export interface RecordedAnswer {
  status: number;
  body: unknown;
}

export type Recording = Record<string, RecordedAnswer>;

/** Request id in all recorded errors. */
const REQUEST_ID = '7F3K-2Q9D';
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** Keeps an answer of the api. Numbers the UUIDs of its body in order of appearance, because they are random. */
export function record({ status, body }: Answer): RecordedAnswer {
  const ids = new Map<string, string>();
  const numbered = (uuid: string): string => {
    if (!ids.has(uuid)) ids.set(uuid, `00000000-0000-4000-8000-${String(ids.size + 1).padStart(12, '0')}`);
    return ids.get(uuid)!;
  };
  const hasId = typeof body === 'object' && body !== null && 'code' in body;
  const text = JSON.stringify(hasId ? { ...body, id: REQUEST_ID } : body);
  return { status, body: JSON.parse(text.replace(UUID, numbered)) };
}

/** Records error answers by their codes. Throws for an answer that is not an error or whose code came before. */
export function recordErrors(answers: readonly Answer[]): Recording {
  const recording: Recording = {};
  for (const answer of answers) {
    const { code } = answer.body as { code?: string };
    if (answer.status < 400 || code === undefined) throw new Error(`not an error: ${JSON.stringify(answer.body)}`);
    if (recording[code]) throw new Error(`two answers have the code ${code}`);
    recording[code] = record(answer);
  }
  return recording;
}
