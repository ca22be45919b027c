/**
 * Runs the demo against a running installation. `node main.ts login` checks that the console is served and the user can
 * log in. `node main.ts demo` runs the demo, whose files are already on the installation's storage. `helm test` runs
 * both. Exits with 1 and a message on failure.
 */
import { existsSync, readFileSync } from 'node:fs';
import { readSettings } from '@seqpanel/crds/settings.ts';
import { z } from 'zod';
import { API, logIn } from './rest-client.ts';
import { runDemo } from './run-demo.ts';
import { openTerminal } from './terminal.ts';

const Settings = z.object({
  /** Base URL of console and API. */
  SEQPANEL_URL: z.url(),
  SEQPANEL_USERNAME: z.string().min(1),
  SEQPANEL_PASSWORD_FILE: z.string().min(1),
  /** Mount path of the storage root. incoming/demo below it holds the demo's files. */
  SEQPANEL_STORAGE: z.string().startsWith('/'),
  /** The same key returns the same task, so an interrupted run is resumed. */
  SEQPANEL_DEMO_KEY: z.string().min(1),
});

async function main(action: string | undefined): Promise<boolean> {
  const settings = readSettings(Settings, process.env);
  const url = settings.SEQPANEL_URL.replace(/\/+$/, '');
  const terminal = openTerminal();

  const page = await fetch(`${url}/login`);
  const html = await page.text();
  if (page.status !== 200 || !html.includes('<div id="root"'))
    throw new Error(`${url}/login answered ${page.status} without the console's page`);
  const client = await logIn(url, settings.SEQPANEL_USERNAME, readPassword(settings.SEQPANEL_PASSWORD_FILE)).catch(
    (error: Error) => {
      throw new Error(`${error.message}\n${ADVICE}`);
    },
  );
  const profile = await client.get<{ username: string }>(`${API}/profile`);
  terminal.line(`The login page is served and ${profile.username} is logged in.`);
  try {
    if (action === 'login') return true;
    return await runDemo(client, {
      storageDir: settings.SEQPANEL_STORAGE,
      demoProgram: 'seqpanel-demo',
      terminal,
      idempotencyKey: settings.SEQPANEL_DEMO_KEY,
    });
  } finally {
    await client.logOut();
  }
}

const ADVICE =
  'The api creates this account at startup, for 24 hours, with the test password of the Secret (docs/operations/install.md). ' +
  'To renew it, restart the api with kubectl rollout restart.';

function readPassword(file: string): string {
  if (!existsSync(file)) throw new Error(`${file} is missing: the Secret has no test password.\n${ADVICE}`);
  return readFileSync(file, 'utf8').trim();
}

const action = process.argv[2];
if (action !== 'login' && action !== 'demo') {
  process.stderr.write('usage: main.ts login|demo\n');
  process.exit(2);
}
main(action).then(
  (good) => process.exit(good ? 0 : 1),
  (error: Error) => {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  },
);
