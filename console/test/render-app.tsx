import { QueryClientProvider } from '@tanstack/react-query';
import { act, render } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import axe from 'axe-core';
import type { ReactElement } from 'react';
import { createMemoryRouter, RouterProvider } from 'react-router-dom';
import { notifications } from '../src/hooks/notifications.ts';
import { startI18n } from '../src/i18n/i18n.ts';
import type { Language } from '../src/i18n/language.ts';
import { createQueryClient } from '../src/queries/query-client.ts';
import { routes } from '../src/routes.tsx';
import { type Profile, session, sessionOf } from '../src/session/session.ts';
import { FakeApi } from './fake-api.ts';
import { buildProfile } from './profiles.ts';

export interface RenderOptions {
  /** Undefined: a user is logged in. Null: nobody is logged in. */
  profile?: Profile | null;
  language?: Language;
  api?: FakeApi;
}

/** The fake api with what every page asks for: verify, profile, storage. */
export function fakeApi(profile: Profile | null = buildProfile()): FakeApi {
  return new FakeApi()
    .on('POST /api/v1/pivat/api-token-verify', { valid: true })
    .on('GET /api/v1/pivat/profile', profile)
    .on('GET /api/v1/pivat/*/group-storage', {
      used: 12 * 1024 ** 3,
      limit: 50 * 1024 ** 3,
      user_used: 1024 ** 3,
      user_limit: null,
      max_files_per_batch: 100,
      max_file_bytes: 2 * 1024 ** 3,
    });
}

/** The whole console at an address, with the real router and query client and a fake fetch. */
export async function renderApp(path: string, options: RenderOptions = {}) {
  const profile = options.profile === undefined ? buildProfile() : options.profile;
  const api = options.api ?? fakeApi(profile);
  window.sessionStorage.clear();
  window.localStorage.clear();
  notifications.clear();
  window.fetch = api.fetch as typeof window.fetch;
  globalThis.fetch = window.fetch;
  session.end('logout');
  if (profile) session.set(sessionOf(profile, { token: 'token-1', refresh_token: 'refresh-1' }));
  await startI18n(options.language ?? 'en');
  const router = createMemoryRouter(routes, { initialEntries: [path] });
  const user = userEvent.setup({ delay: null });
  const view = await act(async () =>
    render(
      <QueryClientProvider client={createQueryClient()}>
        <RouterProvider router={router} />
      </QueryClientProvider>,
    ),
  );
  const at = () => `${router.state.location.pathname}${router.state.location.search}`;
  return { ...view, api, router, user, at };
}

/** One component by itself, with its texts and a server. */
export async function renderPart(part: ReactElement, { language = 'en', api = fakeApi() }: RenderOptions = {}) {
  window.fetch = api.fetch as typeof window.fetch;
  globalThis.fetch = window.fetch;
  await startI18n(language);
  const user = userEvent.setup({ delay: null });
  return { ...render(<QueryClientProvider client={createQueryClient()}>{part}</QueryClientProvider>), user, api };
}

/** Returns the accessibility violations of the page as "rule: target". Colours need a real browser. */
export async function violations(root: Element = document.body): Promise<string[]> {
  const { violations: found } = await axe.run(root, {
    rules: { 'color-contrast': { enabled: false }, region: { enabled: false } },
  });
  return found.flatMap((rule) => rule.nodes.map((node) => `${rule.id}: ${node.target.join(' ')}`));
}
