import { act, screen, waitFor, within } from '@testing-library/react';
import { FakeAnswer } from '../../../test/fake-api.ts';
import { buildProfile, GROUP_A } from '../../../test/profiles.ts';
import { recordedError } from '../../../test/recorded/recorded.ts';
import { fakeApi, renderApp, violations } from '../../../test/render-app.tsx';
import { session } from '../../session/session.ts';
import { PASSWORD_RULES, passwordProblem } from './password-rules.ts';

const PASSWORD = 'POST /api/v1/pivat/profile/password';
const profileApi = () => fakeApi().on('PUT /api/v1/pivat/profile', ({ body }) => buildProfile(body as object));

async function changePassword(
  view: Awaited<ReturnType<typeof renderApp>>,
  current: string,
  next: string,
  repeat = next,
) {
  const { user } = view;
  if (current) await user.type(await screen.findByLabelText(/^Current password/), current);
  await user.type(await screen.findByLabelText(/^New password/), next);
  await user.type(await screen.findByLabelText(/^Repeat the new password/), repeat);
  await user.click(screen.getByRole('button', { name: 'Change password' }));
}

test('[USER-21] the profile is shown; names and email are saved', async () => {
  const view = await renderApp('/user-settings', { api: profileApi() });
  expect(await screen.findByLabelText('Username')).toHaveAttribute('readonly');
  const first = screen.getByLabelText('First name');
  await view.user.clear(first);
  await view.user.type(first, 'Mei-Ling');
  expect(document.title).toMatch(/^• /);
  await view.user.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() =>
    expect(view.api.called('PUT /api/v1/pivat/profile')[0]?.body).toMatchObject({ first_name: 'Mei-Ling' }),
  );
  expect(await screen.findByText('Saved')).toBeVisible();
  expect(await violations()).toEqual([]);
});

test('[ERR-19] [USER-07] a form with errors shows a summary that lists them and focuses the first', async () => {
  const view = await renderApp('/user-settings', { api: profileApi() });
  await view.user.type(await screen.findByLabelText('First name'), '<b>');
  await view.user.type(screen.getByLabelText('Email'), ' no mail');
  await view.user.click(screen.getByRole('button', { name: 'Save' }));
  const summary = within(
    (await screen.findByText('Please fix the form errors.', { exact: false })).closest('[role=alert]') as HTMLElement,
  );
  expect(summary.getAllByRole('button')).toHaveLength(2);
  expect(screen.getByLabelText('First name')).toHaveFocus();
  expect(view.api.called('PUT /api/v1/pivat/profile')).toHaveLength(0);
});

test('[ERR-80] leaving with unsaved changes asks first, and Stay keeps them', async () => {
  const view = await renderApp('/user-settings', { api: profileApi() });
  await view.user.type(await screen.findByLabelText('Last name'), 'x');
  await view.user.click(screen.getByRole('link', { name: 'Dashboard' }));
  const dialog = within(await screen.findByRole('dialog'));
  await view.user.click(dialog.getByRole('button', { name: 'Stay' }));
  expect(screen.getByLabelText('Last name')).toHaveValue('Linx');
  await view.user.click(screen.getByRole('link', { name: 'Dashboard' }));
  await view.user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Discard changes' }));
  await waitFor(() => expect(view.at()).toBe(`/dashboard?group=${GROUP_A}`));
});

test('[USER-22] [USER-16] [USER-17] [USER-19] the new password is sent with the current one; a wrong repetition, a weak and an unchanged password are rejected', async () => {
  const view = await renderApp('/user-settings?tab=password', { api: profileApi().on(PASSWORD, null) });
  await changePassword(view, 'Old-pass1', 'weak', 'other');
  expect(await screen.findAllByText('The password must have 8 to 32 characters.')).not.toHaveLength(0);
  expect(screen.getAllByText('The repeated password does not match.')).not.toHaveLength(0);
  for (const label of [/^New password/, /^Repeat/]) await view.user.clear(screen.getByLabelText(label));
  await changePassword(view, '', 'Old-pass1');
  expect(await screen.findAllByText('The new password must differ from the current password.')).not.toHaveLength(0);
  for (const label of [/^New password/, /^Repeat/]) await view.user.clear(screen.getByLabelText(label));
  await changePassword(view, '', 'New-pass2');
  expect(await screen.findByText(/Password changed/)).toBeVisible();
  expect(view.api.called(PASSWORD).map(({ body }) => body)).toEqual([
    { current_password: 'Old-pass1', new_password: 'New-pass2', repeat_password: 'New-pass2' },
  ]);
  expect(await violations()).toEqual([]);
});

test.each([
  ['[ERR-59]', recordedError('password_current_incorrect'), 'The current password is incorrect.'],
  ['[ERR-60]', recordedError('password_unchanged'), 'must differ'],
  ['[ERR-61]', new FakeAnswer(500, {}), '500 Internal Server Error'],
  ['[ERR-62]', new FakeAnswer(502, {}), '502 Bad Gateway'],
])('%s a refused password change says why and keeps the session', async (_row, answer, text) => {
  const view = await renderApp('/user-settings?tab=password', { api: profileApi().on(PASSWORD, answer) });
  await changePassword(view, 'Old-pass1', 'New-pass2');
  const alert = await screen.findByRole('alert');
  expect(alert).toHaveTextContent('The password could not be changed.');
  expect(alert).toHaveTextContent(text);
  expect(session.get()?.token).toBe('token-1');
});

test.each(['Abcdef1!', `${'Aa1!'.repeat(8)}`])('the password %s meets the rules', (password) => {
  expect(passwordProblem(password)).toBeUndefined();
  expect(PASSWORD_RULES.every(({ holds }) => holds(password))).toBe(true);
});

test.each([
  ['', 'length'],
  ['Abcde1!', 'length'],
  [`${'Aa1!'.repeat(8)}x`, 'length'],
  ['abcdef1!', 'upper'],
  ['ABCDEF1!', 'lower'],
  ['Abcdefg!', 'digit'],
  ['Abcdefg1', 'special'],
  ['Abcdef1<', 'forbidden'],
  ['Abcdef1&', 'forbidden'],
  ["Abcdef1'", 'forbidden'],
])('the password "%s" breaks the rule of %s, and has its message', (password, rule) => {
  expect(passwordProblem(password)).toMatch(/^password_/);
  expect(PASSWORD_RULES.find(({ holds }) => !holds(password))?.key).toBe(rule);
});

test('[AUTH-21] [USER-23] [USER-24] the timeout of the session is an integer greater than 0 and is kept in the session', async () => {
  const view = await renderApp('/user-settings?tab=session', { api: profileApi() });
  const field = await screen.findByLabelText('Automatic logout after (minutes)');
  await view.user.type(field, '0');
  await view.user.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findAllByText('The auto-logout timeout must be an integer greater than 0.')).not.toHaveLength(0);
  await view.user.clear(field);
  await view.user.type(field, '45');
  await view.user.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(session.get()?.auto_logout_timeout).toBe(45));
  expect(view.api.called('PUT /api/v1/pivat/profile')[0]?.body).toEqual({ auto_logout_timeout: 45 });
});

/** One form of the page: how it is filled, its button, and the call that saves it. */
const FORMS = [
  ['profile', 'Last name', 'x', 'Save', 'PUT /api/v1/pivat/profile'],
  ['session', 'Automatic logout after (minutes)', '45', 'Save', 'PUT /api/v1/pivat/profile'],
] as const;

test.each(FORMS)(
  '[ERR-79] the %s form shows that its update is idle, updating, failed and updated',
  async (tab, label, text, button, call) => {
    const answers: ((answer: unknown) => void)[] = [];
    const api = profileApi().on(call, () => new Promise((resolve) => answers.push(resolve)));
    const view = await renderApp(`/user-settings?tab=${tab}`, { api });
    const field = await screen.findByLabelText(label);
    const state = within(field.closest('form') as HTMLElement).getByRole('status');
    expect(state).toHaveTextContent('No changes');
    await view.user.type(field, text);
    expect(state).toHaveTextContent('Unsaved changes');
    await view.user.click(screen.getByRole('button', { name: button }));
    await waitFor(() => expect(state).toHaveTextContent('Saving…'));
    expect(screen.getByRole('button', { name: new RegExp(button) })).toHaveAttribute('aria-disabled', 'true');
    await act(async () => answers.shift()?.(recordedError('internal_error')));
    expect(state).toHaveTextContent('Not saved');
    expect(screen.getByRole('alert')).toHaveTextContent('500 Internal Server Error');
    await view.user.click(screen.getByRole('button', { name: button }));
    await waitFor(() => expect(answers).toHaveLength(1));
    const sent = api.called(call).at(-1)?.body as object;
    await act(async () => answers.shift()?.(buildProfile(sent)));
    await waitFor(() => expect(state).toHaveTextContent(/^Saved$/));
    expect(screen.queryByRole('alert')).toBeNull();
    await view.user.type(field, '1');
    expect(state).toHaveTextContent('Unsaved changes');
  },
);

test('[ERR-79] the password form shows that its update is idle, updating and updated', async () => {
  let answer: (value: unknown) => void = () => undefined;
  const api = profileApi().on(PASSWORD, () => new Promise((resolve) => (answer = resolve)));
  const view = await renderApp('/user-settings?tab=password', { api });
  const form = within((await screen.findByLabelText(/^Current password/)).closest('form') as HTMLElement);
  expect(form.getByRole('status')).toHaveTextContent('No changes');
  await changePassword(view, 'Old-pass1', 'New-pass2');
  await waitFor(() => expect(form.getByRole('status')).toHaveTextContent('Saving…'));
  await act(async () => answer(null));
  await waitFor(() => expect(form.getByRole('status')).toHaveTextContent(/^Saved$/));
});
