import { act, fireEvent, screen } from '@testing-library/react';
import { fakeApi, renderApp } from '../../test/render-app.tsx';

const VERIFY = 'POST /api/v1/pivat/api-token-verify';
afterEach(() => jest.restoreAllMocks());

test('activity without calls keeps the session alive with one call in 5 minutes', async () => {
  let now = Date.now();
  jest.spyOn(Date, 'now').mockImplementation(() => now);
  const view = await renderApp('/dashboard', { api: fakeApi() });
  await screen.findByRole('heading', { level: 1 });
  const atEntry = view.api.called(VERIFY).length;
  const press = () => act(async () => void fireEvent.keyDown(document.body, { key: 'a' }));
  await press();
  expect(view.api.called(VERIFY)).toHaveLength(atEntry);
  now += 5 * 60_000;
  await press();
  await press();
  expect(view.api.called(VERIFY)).toHaveLength(atEntry + 1);
});
