/** Logs in as the first administrator as a person does, who changes the one-time password first. */
import { API, logIn, type RestClient, RestFailure } from '../../scripts/demo/rest-client.ts';

/** The administrator's own password once a test has logged in. */
export const ADMIN_PASSWORD = 'Tested-Horse7';
export const ADMIN = { username: 'admin', password: ADMIN_PASSWORD } as const;

/** `firstPassword`: undefined where it is known to be changed. Works again after a test broke off in between. */
export async function logInAsAdmin(url: string, firstPassword: string | undefined): Promise<RestClient> {
  if (firstPassword === undefined) return logIn(url, ADMIN.username, ADMIN.password);
  try {
    const beginner = await logIn(url, ADMIN.username, firstPassword);
    await beginner.post(`${API}/profile/password`, {
      current_password: firstPassword,
      new_password: ADMIN_PASSWORD,
      repeat_password: ADMIN_PASSWORD,
    });
    return beginner;
  } catch (error) {
    // Changed before.
    if (error instanceof RestFailure && error.code === 'login_failed')
      return logIn(url, ADMIN.username, ADMIN.password);
    throw error;
  }
}
