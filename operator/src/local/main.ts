/** Entry point of the local control plane; the supervisor starts it. */

import { controlPlaneConfig } from './config.ts';
import { startLocalControlPlane } from './control-plane.ts';

const config = controlPlaneConfig(process.env);
const controlPlane = await startLocalControlPlane({
  dataDir: config.dataDir,
  storageDir: config.storageDir,
  port: config.port,
  namespaces: [config.namespace],
});
controlPlane.kubeconfig(config.kubeconfig);

let stopping = false;
const stop = async (): Promise<void> => {
  if (stopping) return;
  stopping = true;
  await controlPlane.stop();
  process.exit(0);
};
process.on('SIGTERM', () => void stop());
process.on('SIGINT', () => void stop());
if (process.env['SEQPANEL_PARENT'] === 'stdin')
  process.stdin
    .on('end', () => void stop())
    .on('error', () => void stop())
    .resume();
console.log(`local control plane on ${controlPlane.url}`);
