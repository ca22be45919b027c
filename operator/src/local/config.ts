/** Settings of the supervisor and of the local control plane's process, from the environment. */

import { join, resolve } from 'node:path';
import { portNumber, readSettings, withoutEmpty } from '@seqpanel/crds/settings.ts';
import { z } from 'zod';

const text = z.string().min(1);

const supervisorSchema = z.object({
  SEQPANEL_DATA: text.default('./data'),
  SEQPANEL_HOST: text.default('127.0.0.1'),
  SEQPANEL_PORT: portNumber.default(8080),
  SEQPANEL_NAMESPACE: text.default('seqpanel'),
  DATABASE_URL: text.optional(),
  KUBECONFIG: text.optional(),
});

const controlPlaneSchema = z.object({
  SEQPANEL_DATA: text,
  SEQPANEL_STORAGE: text.optional(),
  SEQPANEL_NAMESPACE: text.default('seqpanel'),
  SEQPANEL_CONTROL_PLANE_PORT: portNumber.default(0),
  KUBECONFIG: text,
});

/** Throws an Error that names the variable. */
export function supervisorConfig(env: NodeJS.ProcessEnv) {
  const given = readSettings(supervisorSchema, withoutEmpty(env));
  return {
    dataDir: resolve(given.SEQPANEL_DATA),
    host: given.SEQPANEL_HOST,
    port: given.SEQPANEL_PORT,
    namespace: given.SEQPANEL_NAMESPACE,
    ...(given.DATABASE_URL && { databaseUrl: given.DATABASE_URL }),
    ...(given.KUBECONFIG && { kubeconfig: given.KUBECONFIG }),
  };
}

/** Throws an Error that names the variable. */
export function controlPlaneConfig(env: NodeJS.ProcessEnv) {
  const given = readSettings(controlPlaneSchema, withoutEmpty(env));
  const dataDir = resolve(given.SEQPANEL_DATA);
  return {
    dataDir: join(dataDir, 'control-plane'),
    storageDir: given.SEQPANEL_STORAGE ?? join(dataDir, 'storage'),
    namespace: given.SEQPANEL_NAMESPACE,
    port: given.SEQPANEL_CONTROL_PLANE_PORT,
    kubeconfig: given.KUBECONFIG,
  };
}
