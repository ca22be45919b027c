/** A volume for several writing pods, like the product's storage: a folder of the node with its own storage class. */
import { randomBytes } from 'node:crypto';
import { eventually } from '../kube-http.ts';
import { BUSYBOX_IMAGE } from './busybox-image.ts';
import type { TestCluster } from './describe-on-nodes.ts';

/** The storageClassName of claims. */
export const TEST_STORAGE = 'seqpanel-test';
/** Mostly spent waiting for a processor on a busy machine. */
const POD_SECONDS = 300;
const VOLUMES = '/api/v1/persistentvolumes';

/** Creates one empty ReadWriteMany volume for the next claim of class `name`. Deletes an earlier one. */
export async function makeTestVolume(cluster: TestCluster, name = TEST_STORAGE): Promise<{ remove(): Promise<void> }> {
  const folder = `${name}-${randomBytes(4).toString('hex')}`;
  const { kube, storage } = cluster;
  const remove = async () => {
    const gone = await kube.call('DELETE', `${VOLUMES}/${name}`);
    if (gone.status >= 300 && gone.status !== 404) throw new Error(gone.body.message);
    await eventually(`volume ${name} gone`, async () => (await kube.call('GET', `${VOLUMES}/${name}`)).status === 404);
  };
  await remove();
  // Kubernetes sets no group on a folder of the node, and the product's pods run as different users.
  await onNode(cluster, `mkdir -p /storage/${folder} && chmod 2777 /storage/${folder}`);
  await kube.create(VOLUMES, {
    metadata: { name },
    spec: {
      capacity: { storage: '10Gi' },
      accessModes: ['ReadWriteOnce', 'ReadWriteMany'],
      storageClassName: name,
      persistentVolumeReclaimPolicy: 'Retain',
      hostPath: { path: `${storage}/${folder}` },
    },
  });
  return {
    remove: async () => {
      await remove();
      await onNode(cluster, `rm -rf /storage/${folder}`);
    },
  };
}

/** Runs a shell command as root in a pod that sees the nodes' folder as /storage. */
async function onNode({ kube, storage }: TestCluster, command: string): Promise<void> {
  const pods = '/api/v1/namespaces/default/pods';
  const { metadata } = await kube.create(pods, {
    metadata: { generateName: 'seqpanel-storage-' },
    spec: {
      restartPolicy: 'Never',
      volumes: [{ name: 'storage', hostPath: { path: storage, type: 'DirectoryOrCreate' } }],
      containers: [
        {
          name: 'shell',
          image: BUSYBOX_IMAGE,
          command: ['sh', '-c', command],
          volumeMounts: [{ name: 'storage', mountPath: '/storage' }],
        },
      ],
    },
  });
  const pod = `${pods}/${metadata.name}`;
  const phase = await eventually(
    `pod of "${command}" ended`,
    async () => {
      const { status } = await kube.get(pod);
      return ['Succeeded', 'Failed'].includes(status.phase) && (status.phase as string);
    },
    POD_SECONDS,
  );
  await kube.ok('DELETE', `${pod}?gracePeriodSeconds=0`);
  if (phase !== 'Succeeded') throw new Error(`"${command}" failed on the node`);
}
