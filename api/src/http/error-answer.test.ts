import { expect, test } from '@jest/globals';
import { toAppError } from './error-answer.ts';

const failure = (code: string) => Object.assign(new Error('it failed'), { code });

test.each(['ECONNREFUSED', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT', '57P03', '08006'])(
  'a database that is away (%s) is answered with 503, so that the caller asks again',
  (code) => {
    expect(toAppError(failure(code))).toMatchObject({ status: 503, code: 'unavailable' });
  },
);

test.each(['23505', 'EACCES'])('another failure (%s) is one of the service', (code) => {
  expect(toAppError(failure(code))).toMatchObject({ status: 500, code: 'internal_error' });
});
