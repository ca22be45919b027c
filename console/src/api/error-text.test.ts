import i18next from 'i18next';
import { startI18n } from '../i18n/i18n.ts';
import { ApiError, type ErrorAnswer } from './api-error.ts';
import { errorText } from './error-text.ts';

const request = { method: 'GET', url: 'http://localhost/api/v1/pivat/x' };
const answered = (status: number, part: Partial<ErrorAnswer> = {}, method = 'GET') =>
  new ApiError('answered', { ...request, method }, status, {
    id: 'id-1',
    code: 'some_code',
    message: 'm',
    DISPLAY_ERROR_MESSAGE: null,
    details: null,
    ...part,
  });
const text = (error: unknown, language = 'en') => errorText(error, i18next.getFixedT(language), language);

beforeAll(() => startI18n('en'));

test('[ERR-05] DISPLAY_ERROR_MESSAGE comes first', () => {
  expect(text(answered(500, { DISPLAY_ERROR_MESSAGE: 'The panel is locked.' })).message).toBe('The panel is locked.');
});

test.each([
  ['[ERR-12]', 400, '400 Bad Request'],
  ['[ERR-13]', 401, '401 Unauthorized'],
  ['[ERR-14]', 404, '404 Service not found'],
  ['[ERR-15]', 500, '500 Internal Server Error'],
  ['[ERR-16]', 502, '502 Bad Gateway'],
  ['[ERR-17]', 418, 'Other response (418)'],
])('%s status %d has its generic text', (_row, status, message) => {
  expect(text(answered(status)).message).toBe(message);
});

test('[ERR-06] [ERR-11] a failed GET without its own text gets the get-failed text', () => {
  expect(text(answered(500)).title).toBe('GET failed');
  expect(text(answered(500, {}, 'POST')).title).toBe('The request failed');
});

test('[ERR-10] no answer: unable to reach server', () => {
  expect(text(new ApiError('unreachable', request)).message).toBe('Unable to reach server');
});

test('[ERR-18] anything else: unknown error', () => {
  expect(text(new Error('bug')).message).toBe('Unknown error');
});

test('[I18N-04] in Chinese the text of the code replaces it, with its values; the server’s sentence becomes the detail', async () => {
  await startI18n('zh');
  const error = answered(409, {
    code: 'file_exists',
    DISPLAY_ERROR_MESSAGE: 'a.bam already exists.',
    details: { file: 'a.bam' },
  });
  expect(text(error, 'zh')).toMatchObject({
    message: 'a.bam 已存在于该项目中。',
    detail: 'a.bam already exists.',
    id: 'id-1',
  });
});

test('a code that is not in the catalogue keeps the server’s sentence', () => {
  expect(text(answered(409, { code: 'brand_new', DISPLAY_ERROR_MESSAGE: 'New.' }), 'zh').message).toBe('New.');
});
