import { z } from 'zod';
import { portNumber, readSettings, wholeNumber, withoutEmpty } from './settings.ts';

const Schema = z.object({
  PORT: portNumber.default(8080),
  PROXIES: wholeNumber(0, 5).default(0),
  FORMAT: z.enum(['json', 'pretty']).default('json'),
  ISSUER: z.url({ protocol: /^https?$/ }).optional(),
  NAMESPACE: z.string().min(1).default('seqpanel'),
  DATABASE: z.string().min(1),
});
const DATABASE = 'postgres://db';

test('missing settings have their defaults', () => {
  expect(readSettings(Schema, { DATABASE })).toEqual({
    PORT: 8080,
    PROXIES: 0,
    FORMAT: 'json',
    NAMESPACE: 'seqpanel',
    DATABASE,
  });
  expect(readSettings(Schema, { DATABASE, PORT: '0', PROXIES: '5' })).toMatchObject({ PORT: 0, PROXIES: 5 });
});

test.each([
  [{ PORT: 'abc' }, 'PORT must be a whole number, not "abc"'],
  [{ PORT: '80.5' }, 'PORT must be a whole number, not "80.5"'],
  [{ PORT: '' }, 'PORT must be a whole number, not ""'],
  [{ PORT: '70000' }, 'PORT must be a whole number from 0 to 65535, not 70000'],
  [{ PROXIES: '-1' }, 'PROXIES must be a whole number from 0 to 5, not -1'],
  [{ FORMAT: 'xml' }, 'FORMAT must be one of json, pretty, not "xml"'],
  [{ ISSUER: 'nowhere' }, 'ISSUER must be an address such as https://host.example, not "nowhere"'],
  [{ NAMESPACE: '' }, 'NAMESPACE must not be empty'],
  [{ DATABASE: undefined }, 'DATABASE is needed and not set'],
  [{ PORT: 'a', FORMAT: 'b' }, 'PORT must be a whole number, not "a"; FORMAT must be one of json, pretty, not "b"'],
])('%j is rejected with a clear message', (given, message) => {
  expect(() => readSettings(Schema, { DATABASE, ...given })).toThrow(new Error(message));
});

test('an empty variable can count as missing', () => {
  expect(readSettings(Schema, withoutEmpty({ DATABASE, PORT: '' })).PORT).toBe(8080);
});
