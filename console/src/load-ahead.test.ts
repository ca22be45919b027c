import type { FakeApi } from '../test/fake-api.ts';
import { buildProfile, GROUP_A } from '../test/profiles.ts';
import { fakeApi } from '../test/render-app.tsx';
import { loadAhead } from './load-ahead.ts';
import { createQueryClient } from './queries/query-client.ts';
import { session, sessionOf } from './session/session.ts';

const TASK = `/api/v1/pivat/${GROUP_A}/tasks/1-2`;

async function callsAhead(path: string, api: FakeApi = fakeApi()): Promise<string[]> {
  window.sessionStorage.clear();
  session.set(sessionOf(buildProfile(), { token: 't1', refresh_token: 'r1' }));
  const paths: string[] = [];
  window.fetch = ((request: Request) => {
    paths.push(new URL(request.url).pathname);
    return api.fetch(request);
  }) as typeof window.fetch;
  const { pathname, search } = new URL(path, 'http://localhost');
  await loadAhead(createQueryClient(), { pathname, search } as Location);
  await new Promise((resolve) => setTimeout(resolve, 20));
  return paths;
}

test('the calls of the variants tab start before its code is there, the check of the session first', async () => {
  const api = fakeApi().on('GET /api/v1/pivat/variant-columns', { results: [] });
  for (const below of ['', '/variants', '/variants/facets', '/samples']) api.on(`GET ${TASK}${below}`, { results: [] });
  const calls = await callsAhead('/secondary-analysis/tasks/1-2?tab=variants', api);
  expect(calls[0]).toBe('/api/v1/pivat/api-token-verify');
  expect(calls.slice(1).sort()).toEqual(
    [
      '/api/v1/pivat/profile',
      '/api/v1/pivat/variant-columns',
      TASK,
      `${TASK}/samples`,
      `${TASK}/variants`,
      `${TASK}/variants/facets`,
    ].sort(),
  );
});

test('nothing is called ahead for the login page of a user without a session', async () => {
  session.end('logout');
  const paths: string[] = [];
  window.fetch = ((request: Request) => {
    paths.push(request.url);
    return Promise.reject(new TypeError('no call expected'));
  }) as typeof window.fetch;
  await loadAhead(createQueryClient(), { pathname: '/login', search: '' } as Location);
  expect(paths).toEqual([]);
});
