import { screen, within } from '@testing-library/react';
import { renderApp } from '../../test/render-app.tsx';

const tasksLink = () => screen.queryByRole('link', { name: 'Tasks' });

test('[DASH-09] the sidebar is collapsed and opened by its button, and stays so on the next page', async () => {
  const view = await renderApp('/dashboard');
  await screen.findByRole('heading', { level: 1, name: 'Dashboard' });
  const toggle = screen.getByRole('button', { name: 'Navigation' });
  expect(tasksLink()).toBeInTheDocument();
  expect(toggle).toHaveAttribute('aria-expanded', 'true');
  await view.user.click(toggle);
  expect(tasksLink()).toBeNull();
  expect(toggle).toHaveAttribute('aria-expanded', 'false');
  await view.user.click(screen.getByRole('link', { name: 'See results' }));
  await screen.findByRole('heading', { level: 1, name: 'Tasks' });
  expect(tasksLink()).toBeNull();
  await view.user.click(screen.getByRole('button', { name: 'Navigation' }));
  expect(tasksLink()).toBeInTheDocument();
});

test.each([
  ['en', '/dashboard', 'Research use only. Not for diagnosis.'],
  ['zh', '/user-settings', '仅供研究使用，不得用于诊断。'],
] as const)(
  '[HELP-12] in %s the foot of %s says that the product is for research use only',
  async (language, path, text) => {
    await renderApp(path, { language });
    await screen.findByRole('heading', { level: 1 });
    expect(within(document.querySelector('.sp-footer') as HTMLElement).getByText(text, { exact: false })).toBeVisible();
  },
);
