/**
 * Runs the local control plane in its own process, like the supervisor. Forked with the folder for its files, it sends
 * `{ url, token }` when ready, compacts at the message `compact`, and stops at `stop` or when its parent has exited.
 */
import { join } from 'node:path';
import { startLocalControlPlane } from '../../operator/src/local/control-plane.ts';

const folder = process.argv[2]!;
const local = await startLocalControlPlane({
  dataDir: join(folder, 'data'),
  storageDir: join(folder, 'storage'),
  capacity: { cpu: 16, memory: 16 * 2 ** 30 },
});
local.kubeconfig(join(folder, 'kubeconfig'));
process.send?.({ url: local.url, token: local.token });

process.on('message', (message) => {
  if (message === 'stop') void local.stop().then(() => process.exit(0));
  if (message === 'compact') {
    local.compact();
    process.send?.('compacted');
  }
});
process.on('disconnect', () => void local.stop().then(() => process.exit(0)));
