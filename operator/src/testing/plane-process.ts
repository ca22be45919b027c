/** For tests only: a local control plane in a process of its own, ended by its parent's end. Options come as JSON. */

import { startLocalControlPlane } from '../local/control-plane.ts';

const { kubeconfig, ...options } = JSON.parse(process.argv[2] ?? '{}');
const plane = await startLocalControlPlane(options);
plane.kubeconfig(kubeconfig);
process.once('disconnect', async () => {
  await plane.stop();
  process.exit(0);
});
process.send?.('ready');
