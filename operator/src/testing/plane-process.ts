/** For tests only: the process of a local control plane; exits with its parent. Options are passed as JSON. */

import { startLocalControlPlane } from '../local/control-plane.ts';

const { kubeconfig, ...options } = JSON.parse(process.argv[2] ?? '{}');
const plane = await startLocalControlPlane(options);
plane.kubeconfig(kubeconfig);
process.once('disconnect', async () => {
  await plane.stop();
  process.exit(0);
});
process.send?.('ready');
