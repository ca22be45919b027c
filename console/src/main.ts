import '@patternfly/react-core/dist/styles/base.css';
import { sendEarly } from './api/early-calls.ts';
import { loadPageCode } from './first-page.ts';
import { storedLanguage } from './i18n/language.ts';
import { TEXTS } from './i18n/texts.ts';
import { session } from './session/session.ts';
import { VERIFY_PATH } from './session/verify-path.ts';
import { startTheme } from './theme/theme.ts';
import './theme/tokens.css';
import './theme/app.css';

/**
 * Starts everything that the first page needs at once: the libraries, the page's own code, the texts and the check of
 * the session. A chunk that imports nothing large, because it runs before the libraries are loaded.
 */
startTheme();
const app = import('./start-app.tsx');
// Those who use them report a failure.
TEXTS[storedLanguage()]().catch(() => undefined);
const token = session.get()?.token;
if (token !== undefined) {
  sendEarly(VERIFY_PATH, { token });
  loadPageCode(window.location.pathname).catch(() => undefined);
}
// Not awaited at the top level: the libraries import this chunk and would wait for its end.
void app.then(({ startApp }) => startApp());
