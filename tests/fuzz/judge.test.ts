import { expect, test } from '@jest/globals';
import { buildDocument } from '../../api/src/openapi/document.ts';
import { createJudge } from './judge.ts';
import type { FuzzRequest } from './requests.ts';
import type { FuzzAnswer } from './send.ts';

const judge = createJudge(buildDocument());
const request: FuzzRequest = {
  operation: 'getGroupStorage',
  caller: 'member',
  method: 'GET',
  target: '/',
  headers: {},
  body: undefined,
};
const json = { 'content-type': 'application/json; charset=utf-8' };
const answer = (status: number, body: unknown, headers: Record<string, string> = json): FuzzAnswer => ({
  status,
  headers,
  text: typeof body === 'string' ? body : JSON.stringify(body),
  milliseconds: 1,
  operation: request.operation,
});

const storage = { used: 1, limit: null, user_used: 1, user_limit: null, max_files_per_batch: 1, max_file_bytes: 1 };
const error = { id: 'x', code: 'not_found', message: 'Not found.', DISPLAY_ERROR_MESSAGE: null, details: null };

test('answers of the document are accepted', () => {
  expect(judge(request, answer(200, storage))).toBeUndefined();
  expect(judge(request, answer(404, error))).toBeUndefined();
});

test.each<[string, FuzzAnswer, RegExp]>([
  ['a failure of the server', answer(500, error), /500/],
  ['a success that lacks a property', answer(200, { ...storage, used: undefined }), /used/],
  ['a success of another type', answer(200, 'x', { 'content-type': 'text/html' }), /text\/html/],
  ['a status that is not in the document', answer(202, storage), /202/],
  ['304 that was not asked for', answer(304, ''), /304/],
  ['an error in plain text', answer(400, 'no', { 'content-type': 'text/plain' }), /no JSON/],
  ['an error without an id', answer(404, { ...error, id: undefined }), /id/],
  ['an error whose code is not in the catalogue', answer(404, { ...error, code: 'other' }), /other/],
  ['no answer', { ...answer(0, ''), failure: 'no answer within 10 s' }, /no answer/],
])('%s is wrong', (_what, given, problem) => {
  expect(judge(request, given)).toMatch(problem);
});
