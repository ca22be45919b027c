/** Reads the settings of the supervisor from the environment. */

import { resolve } from 'node:path';
import { portNumber, readSettings, withoutEmpty } from '@seqpanel/crds/settings.ts';
import { z } from 'zod';

const text = z.string().min(1);

const schema = z.object({
  SEQPANEL_DATA: text.default('./data'),
  SEQPANEL_HOST: text.default('127.0.0.1'),
  SEQPANEL_PORT: portNumber.default(8080),
  SEQPANEL_NAMESPACE: text.default('seqpanel'),
  DATABASE_URL: text.optional(),
  KUBECONFIG: text.optional(),
});

/** Throws an Error that names the variable. */
export function supervisorConfig(env: NodeJS.ProcessEnv) {
  const given = readSettings(schema, withoutEmpty(env));
  return {
    dataDir: resolve(given.SEQPANEL_DATA),
    host: given.SEQPANEL_HOST,
    port: given.SEQPANEL_PORT,
    namespace: given.SEQPANEL_NAMESPACE,
    ...(given.DATABASE_URL && { databaseUrl: given.DATABASE_URL }),
    ...(given.KUBECONFIG && { kubeconfig: given.KUBECONFIG }),
  };
}
