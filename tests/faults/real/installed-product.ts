/** The product installed by the chart on the node tier. */
import { execFile, execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readShipped } from '../../../operator/src/pipeline/shipped.ts';
import type { RestClient } from '../../../scripts/demo/rest-client.ts';
import type { ClusterBinaries } from '../../cluster/binaries.ts';
import { type Installation, prepareInstallation, RELEASE } from '../../cluster/install/installation.ts';
import { eventually, KubeHttp, type KubeObject } from '../../cluster/kube-http.ts';
import type { Held } from '../../cluster/node/held.ts';
import { collection } from '../../kubernetes-contract/builders.ts';
import { ROOT } from '../../support/product.ts';
import { logInAsAdmin } from '../../support/sign-in.ts';
import type { Premises } from '../cluster/laboratory.ts';

const STORAGE_MB = 256;
/** Processor requests of a step, low enough that several tasks fit on the node of a small machine. */
const STEP_CPU = '250m';

export type Component = 'operator' | 'api' | 'postgres';

/** Namespace of the installation. */
export interface Place {
  namespace: string;
  kube: KubeHttp;
  installed: Installation;
  /** Folder of the storage on this machine. */
  storageDir: string;
  kubectl: { program: string; kubeconfig: string };
}

/**
 * Creates namespace, Secret and volumes, with a small storage that can be filled. Also creates a Pipeline with the
 * name of the shipped one and low requests, which the operator does not replace.
 */
export async function makePlace({ layout }: Held, binaries: ClusterBinaries, namespace: string): Promise<Place> {
  const { clusters, users } = JSON.parse(readFileSync(layout.kubeconfig, 'utf8')) as KubeObject;
  const { server, 'certificate-authority-data': ca } = clusters[0].cluster;
  const kube = new KubeHttp({ url: server, token: users[0].user.token, ca: Buffer.from(ca, 'base64').toString() });
  const { kubeconfig, storage } = layout;
  const cluster = { kubeconfig, storage, kube, kubectl: binaries.kubectl, helm: binaries.helm };
  const installed = await prepareInstallation(cluster, namespace);
  const volume = await kube.get(`/api/v1/persistentvolumes/${namespace}-files`);
  const storageDir = volume.spec.hostPath.path as string;
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${STORAGE_MB}m,mode=2777`, 'tmpfs', storageDir]);
  installed.kubectl('apply', '--server-side', '-f', join(ROOT, 'crds/yaml'));
  installed.kubectl('wait', '--for=condition=Established', 'crd', '--all', '--timeout=300s');
  for (const pipeline of readShipped(join(ROOT, 'crds/pipelines')).values()) {
    for (const { resources } of pipeline.spec.stages.flatMap(({ steps }) => steps)) resources!.cpu = STEP_CPU;
    await kube.create(collection('Pipeline', namespace), pipeline);
  }
  return { namespace, kube, installed, storageDir, kubectl: { program: binaries.kubectl, kubeconfig } };
}

export class InstalledProduct implements Premises {
  readonly namespace: string;
  readonly kube: KubeHttp;
  readonly storageDir: string;
  readonly databaseUrl: string;
  readonly installed: Installation;
  readonly #login: { url: string; password: string };
  readonly #kubectl: Place['kubectl'];

  private constructor(given: Place & Pick<InstalledProduct, 'databaseUrl'>, login: { url: string; password: string }) {
    ({
      namespace: this.namespace,
      kube: this.kube,
      storageDir: this.storageDir,
      databaseUrl: this.databaseUrl,
      installed: this.installed,
    } = given);
    this.#login = login;
    this.#kubectl = given.kubectl;
  }

  /** Installs the chart with two operators. It runs some time later. */
  static async install(place: Place): Promise<InstalledProduct> {
    const { installed } = place;
    await installed.install('--set', 'operator.replicas=2');
    const secret = (key: string) =>
      Buffer.from(installed.kubectl('get', 'secret', 'seqpanel', '-o', `jsonpath={.data.${key}}`), 'base64').toString();
    const address = (name: Component) =>
      installed.kubectl('get', 'service', `${RELEASE}-${name}`, '-o', 'jsonpath={.spec.clusterIP}');
    const databaseUrl = `postgres://seqpanel:${secret('postgres-password')}@${address('postgres')}:5432/seqpanel`;
    const login = { url: `http://${address('api')}`, password: secret('first-admin-password') };
    return new InstalledProduct({ ...place, databaseUrl }, login);
  }

  admin = (): Promise<RestClient> => logInAsAdmin(this.#login.url, this.#login.password);

  async podsOf(component: Component): Promise<KubeObject[]> {
    const selector = `labelSelector=app.kubernetes.io%2Fcomponent%3D${component}`;
    return (await this.kube.get(`/api/v1/namespaces/${this.namespace}/pods?${selector}`)).items;
  }

  /** Returns the pod of the leading operator. */
  async leader(): Promise<KubeObject> {
    const leases = `/apis/coordination.k8s.io/v1/namespaces/${this.namespace}/leases`;
    const { spec } = await this.kube.get(`${leases}/seqpanel-operator`);
    return this.kube.get(`/api/v1/namespaces/${this.namespace}/pods/${spec.holderIdentity}`);
  }

  /** Reports whether every Deployment and the database have all pods ready. */
  async whole(seconds: number): Promise<void> {
    const sets = `/apis/apps/v1/namespaces/${this.namespace}`;
    await eventually(
      'all pods of the product ready',
      async () => {
        const lists = [await this.kube.get(`${sets}/deployments`), await this.kube.get(`${sets}/statefulsets`)];
        return lists
          .flatMap(({ items }) => items)
          .every(({ spec, status }: KubeObject) => (status.readyReplicas ?? 0) === spec.replicas);
      },
      seconds,
    );
  }

  /** Runs `kubectl drain` with a timeout in seconds. Pods that could not be evicted remain. */
  async drain(node: string, seconds: number): Promise<void> {
    const args = ['--ignore-daemonsets', '--delete-emptydir-data', '--force', `--timeout=${seconds}s`];
    const { program, kubeconfig } = this.#kubectl;
    try {
      await promisify(execFile)(program, ['--kubeconfig', kubeconfig, 'drain', node, ...args]);
    } catch (error) {
      if (!/timeout|timed out|deadline/i.test((error as { stderr?: string }).stderr ?? '')) throw error;
    }
  }

  uninstall = (): Promise<unknown> => this.installed.helm('uninstall', RELEASE, '--namespace', this.namespace);
}
