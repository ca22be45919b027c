/** Settings of the supervisor and of the local control plane's process, from the environment. */

import { join, resolve } from 'node:path';
import { z } from 'zod';

const port = z.coerce.number().int().min(0).max(65535);
const text = z.string().min(1);

const supervisorSchema = z.object({
  SEQPANEL_DATA: text.default('./data'),
  SEQPANEL_HOST: text.default('127.0.0.1'),
  SEQPANEL_PORT: port.default(8080),
  SEQPANEL_NAMESPACE: text.default('seqpanel'),
  DATABASE_URL: text.optional(),
  KUBECONFIG: text.optional(),
});

const controlPlaneSchema = z.object({
  SEQPANEL_DATA: text,
  SEQPANEL_STORAGE: text.optional(),
  SEQPANEL_NAMESPACE: text.default('seqpanel'),
  SEQPANEL_CONTROL_PLANE_PORT: port.default(0),
  KUBECONFIG: text,
});

function read<T extends z.ZodType>(schema: T, env: NodeJS.ProcessEnv): z.infer<T> {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  const { path, message } = result.error.issues[0]!;
  throw new Error(`${path.join('.')}: ${message}`);
}

/** Throws an Error that names the variable. */
export function supervisorConfig(env: NodeJS.ProcessEnv) {
  const given = read(supervisorSchema, env);
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
  const given = read(controlPlaneSchema, env);
  const dataDir = resolve(given.SEQPANEL_DATA);
  return {
    dataDir: join(dataDir, 'control-plane'),
    storageDir: given.SEQPANEL_STORAGE ?? join(dataDir, 'storage'),
    namespace: given.SEQPANEL_NAMESPACE,
    port: given.SEQPANEL_CONTROL_PLANE_PORT,
    kubeconfig: given.KUBECONFIG,
  };
}
