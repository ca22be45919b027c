/** Logs in as the first administrator. Changes the one-time password first, like a user. */
import { API, logIn, type RestClient, RestFailure } from '../../scripts/demo/rest-client.ts';

/** The administrator's own password after the first login of a test. */
export const ADMIN_PASSWORD = 'Tested-Horse7';
export const ADMIN = { username: 'admin', password: ADMIN_PASSWORD } as const;

/** `firstPassword`: undefined after its change. Also works after a test that was interrupted in between. */
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
