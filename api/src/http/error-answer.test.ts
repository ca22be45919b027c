import { expect, test } from '@jest/globals';
import { AppError } from '../errors.ts';
import { errorBody, toAppError } from './error-answer.ts';

const failure = (code: string) => Object.assign(new Error('it failed'), { code });

test.each([
  ...['ECONNREFUSED', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT', '08006'],
  ...['53300', '53400', '57P01', '57P02', '57P03', '57P05', '25006', '40P01', '40001', '55P03', '57014'],
])('a database that is away or busy (%s) is answered with 503, so that the caller asks again', (code) => {
  expect(toAppError(failure(code))).toMatchObject({ status: 503, code: 'unavailable' });
});

test.each(['23505', '42P01', 'EACCES'])('another failure (%s) is an internal error', (code) => {
  expect(toAppError(failure(code))).toMatchObject({ status: 500, code: 'internal_error' });
});

test.each([
  ['request.aborted', 400, 400, 'request_unreadable'],
  ['request.size.invalid', 400, 400, 'request_unreadable'],
  ['entity.parse.failed', 400, 400, 'request_unreadable'],
  ['entity.too.large', 413, 413, 'request_too_large'],
  ['encoding.unsupported', 415, 415, 'media_type_unsupported'],
  ['charset.unsupported', 415, 415, 'media_type_unsupported'],
  [undefined, 400, 400, 'request_unreadable'],
])('a body that cannot be read (%s) is a failure of its client', (type, given, status, code) => {
  expect(toAppError(Object.assign(new Error('it failed'), { type, status: given }))).toMatchObject({ status, code });
});

test('only an unexpected failure has no text for users', () => {
  const text = (status: number, code: 'internal_error' | 'ldap_misconfigured' | 'sso_unavailable') =>
    errorBody(new AppError(status, code), 'id').DISPLAY_ERROR_MESSAGE;
  expect(text(500, 'internal_error')).toBeNull();
  expect(text(500, 'ldap_misconfigured')).toBe('The LDAP server is misconfigured.');
  expect(text(502, 'sso_unavailable')).toMatch(/^The login provider cannot be reached\./);
});
