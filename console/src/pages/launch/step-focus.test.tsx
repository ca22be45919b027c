import { act, render, screen, waitFor } from '@testing-library/react';
import { createMemoryRouter, RouterProvider } from 'react-router-dom';
import { buildProject } from '../../../test/projects.ts';
import { fakeApi, renderApp } from '../../../test/render-app.tsx';
import { REACHED, useStepFocus } from './use-step-focus.ts';

test('Next focuses the summary of errors while the step has errors', async () => {
  const api = fakeApi()
    .on('GET /api/v1/pivat/*/projects', { count: 1, results: [buildProject()] })
    .on('GET /api/v1/pivat/*/panel-types', { count: 0, results: [] });
  const view = await renderApp('/secondary-analysis/launch/start-from', { api });
  await view.user.click(await screen.findByRole('button', { name: 'Next' }));
  const summary = (await screen.findByText(/Please fix the form errors/)).closest('[tabindex="-1"]');
  await waitFor(() => expect(summary).toHaveFocus());
});

function Step() {
  const { heading } = useStepFocus(0);
  return (
    <h2 tabIndex={-1} ref={heading}>
      Step
    </h2>
  );
}

test.each([
  ['reached with Next', REACHED, true],
  ['opened by its address', null, false],
] as const)('the heading of a step that was %s has the focus: %s, %s', async (_how, state, hasFocus) => {
  const router = createMemoryRouter([{ path: '*', Component: Step }]);
  await act(() => router.navigate('/select-files', { state }));
  await act(async () => render(<RouterProvider router={router} />));
  expect(document.activeElement === screen.getByRole('heading')).toBe(hasFocus);
});
