import { act, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { createMemoryRouter, RouterProvider } from 'react-router-dom';
import { useVariantUrl } from './use-variant-url.ts';

function Tab() {
  const url = useVariantUrl();
  return (
    <>
      <button type="button" onClick={() => url.setOpen('0-a')}>
        first
      </button>
      <button type="button" onClick={() => url.setOpen('0-b')}>
        second
      </button>
      <button type="button" onClick={() => url.setOpen(undefined)}>
        close
      </button>
    </>
  );
}

async function tabAt(search: string) {
  const router = createMemoryRouter([{ path: '*', Component: Tab }], { initialEntries: ['/tasks', `/task${search}`] });
  await act(async () => render(<RouterProvider router={router} />));
  const press = (name: string) => userEvent.setup({ delay: null }).click(screen.getByRole('button', { name }));
  return {
    press,
    back: () => act(() => router.navigate(-1)),
    at: () => router.state.location.pathname + router.state.location.search,
  };
}

test('one Back closes the drawer and keeps the filters, also after several rows were opened', async () => {
  const tab = await tabAt('?f.impact=HIGH');
  await tab.press('first');
  await tab.press('second');
  expect(tab.at()).toBe('/task?f.impact=HIGH&v=0-b');
  await tab.back();
  expect(tab.at()).toBe('/task?f.impact=HIGH');
});

test('closing the drawer removes its history entry: the next Back leaves the page', async () => {
  const tab = await tabAt('?f.impact=HIGH');
  await tab.press('first');
  await tab.press('close');
  expect(tab.at()).toBe('/task?f.impact=HIGH');
  await tab.back();
  expect(tab.at()).toBe('/tasks');
});

test('a drawer that was opened by a link closes on the same page', async () => {
  const tab = await tabAt('?f.impact=HIGH&v=0-a');
  await tab.press('close');
  expect(tab.at()).toBe('/task?f.impact=HIGH');
});
