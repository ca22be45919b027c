/** Answers of the real api. Its own tests compare them; `npm run record` renews them. */
import type { RerunCheck } from '../../src/queries/tasks.ts';
import { FakeAnswer } from '../fake-api.ts';
import errors from './errors.json';
import rerunChecks from './rerun-checks.json';

/** Returns the api's error answer with this code. Its id is 7F3K-2Q9D. */
export function recordedError(code: keyof typeof errors): FakeAnswer {
  const { status, body } = errors[code];
  return new FakeAnswer(status, body);
}

/** Returns the api's answer to whether a task can be rerun after this change. */
export const recordedRerunCheck = (change: keyof typeof rerunChecks): RerunCheck =>
  rerunChecks[change].body as RerunCheck;
