/** Settings of the local control plane, read from the environment. */

import { join, resolve } from 'node:path';
import { portNumber, readSettings, withoutEmpty } from '@seqpanel/crds/settings.ts';
import { z } from 'zod';

const text = z.string().min(1);

const controlPlaneSchema = z.object({
  SEQPANEL_DATA: text,
  SEQPANEL_STORAGE: text.optional(),
  SEQPANEL_NAMESPACE: text.default('seqpanel'),
  SEQPANEL_CONTROL_PLANE_PORT: portNumber.default(0),
  KUBECONFIG: text,
});

/** Throws an Error that names the invalid variable. */
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
