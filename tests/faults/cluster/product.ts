/**
 * The whole product on a real control plane, for tests that break parts of it: Postgres, api and operator as processes
 * that are restarted when they exit, like their pods. A proxy before the API server can inject failures. Stage pods
 * are processes of the test's kubelets.
 */
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { RestClient } from '../../../scripts/demo/rest-client.ts';
import { Child, type ChildSpec } from '../../../scripts/supervisor/child.ts';
import { embeddedPostgres } from '../../../scripts/supervisor/postgres.ts';
import type { PodPlace } from '../../cluster/command-kubelet.ts';
import type { ControlPlane } from '../../cluster/control-plane.ts';
import { freePorts } from '../../cluster/daemon.ts';
import { kubeconfigOf } from '../../cluster/kube-http.ts';
import { makeStorageClaim } from '../../cluster/played-task.ts';
import { giveRights } from '../../cluster/privileges.ts';
import { makeNamespace } from '../../kubernetes-contract/server.ts';
import { firstPassword, ROOT } from '../../support/product.ts';
import { logInAsAdmin } from '../../support/sign-in.ts';
import { FaultyProxy } from './faulty-proxy.ts';
import { SqlProxy } from './sql-proxy.ts';

/** Delay after which a kubelet restarts a crashed container. */
const RESTART_MS = 200;

export type Part = 'postgres' | 'api' | 'operator' | 'operator-2';

export interface ProductOptions {
  plane: ControlPlane;
  namespace: string;
  /** Storage root. Default: a folder in the data folder. */
  storageDir?: string;
  /** Additional settings of the operators. */
  operatorSettings?: Record<string, string>;
}

export class ClusterProduct {
  readonly plane: ControlPlane;
  readonly namespace: string;
  readonly dataDir: string;
  readonly storageDir: string;
  readonly url: string;
  /** Proxy for the operator and the api. */
  readonly proxy: FaultyProxy;
  /** Proxy for the second operator only. */
  readonly secondProxy: FaultyProxy;
  readonly sql: SqlProxy;
  /** URL of Postgres itself, not of its proxy. */
  readonly databaseUrl: string;
  readonly #specs: Record<Part, ChildSpec>;
  readonly #children = new Map<Part, { child: Child; env: Record<string, string> }>();
  readonly #restarts = new Map<Part, Promise<void>>();

  private constructor(
    given: Pick<ClusterProduct, 'plane' | 'namespace' | 'dataDir' | 'storageDir' | 'url' | 'databaseUrl'>,
    proxies: { proxy: FaultyProxy; secondProxy: FaultyProxy; sql: SqlProxy },
    specs: Record<Part, ChildSpec>,
  ) {
    ({
      plane: this.plane,
      namespace: this.namespace,
      dataDir: this.dataDir,
      storageDir: this.storageDir,
      url: this.url,
      databaseUrl: this.databaseUrl,
    } = given);
    ({ proxy: this.proxy, secondProxy: this.secondProxy, sql: this.sql } = proxies);
    this.#specs = specs;
  }

  /**
   * Creates namespace, claim and the chart's accounts with their rights, then starts Postgres, api and one operator.
   */
  static async start(options: ProductOptions): Promise<ClusterProduct> {
    const { plane, namespace, storageDir: given } = options;
    const dataDir = mkdtempSync(join(tmpdir(), `seqpanel-faults-${namespace}-`));
    const storageDir = given ?? join(dataDir, 'storage');
    const at = (name: string) => join(dataDir, name);
    for (const folder of [storageDir, at('logs')]) mkdirSync(folder, { recursive: true });
    writeFileSync(at('secret'), randomBytes(32).toString('hex'), { mode: 0o600 });

    await makeNamespace(plane.kube, namespace);
    await makeStorageClaim(plane.kube, namespace);
    const workers = options.operatorSettings?.['SEQPANEL_WORKERS'] === 'on';
    const tokens = await giveRights(plane, namespace, { workers });

    const postgres = embeddedPostgres(dataDir, at('logs/postgres.log'));
    const socketDir = new URL(postgres.databaseUrl).searchParams.get('host')!;
    const sql = await SqlProxy.start(`${socketDir}-api`, socketDir);
    const [proxy, secondProxy] = await Promise.all([FaultyProxy.start(plane), FaultyProxy.start(plane)]);
    for (const [name, { url }, token] of [
      ['kubeconfig-api', proxy, tokens.api],
      ['kubeconfig', proxy, tokens.operator],
      ['kubeconfig-2', secondProxy, tokens.operator],
    ] as const)
      writeFileSync(at(name), kubeconfigOf({ url, token }, namespace), { mode: 0o600 });
    const [port] = await freePorts(1);
    const url = `http://127.0.0.1:${port}`;
    const env = {
      NODE_OPTIONS: '',
      NODE_COMPILE_CACHE: join(ROOT, 'node_modules', '.cache', 'compile'),
      SEQPANEL_DATA: dataDir,
      SEQPANEL_STORAGE: storageDir,
      SEQPANEL_NAMESPACE: namespace,
      SEQPANEL_HOST: '127.0.0.1',
      SEQPANEL_PORT: String(port),
      SEQPANEL_METRICS_PORT: '0',
      SEQPANEL_SECRET_FILE: at('secret'),
      SEQPANEL_FIRST_ADMIN_FILE: at('first-admin.txt'),
      SEQPANEL_LOG_FORMAT: 'json',
      KUBECONFIG: at('kubeconfig'),
      DATABASE_URL: postgres.databaseUrl.replace(encodeURIComponent(socketDir), encodeURIComponent(sql.folder)),
      SEQPANEL_DATABASE_OWNER_URL: postgres.ownerUrl,
    };
    const node = (file: string) => [
      ...[process.execPath, '--disable-warning=ExperimentalWarning'],
      ...['--import', join(import.meta.dirname, 'skewed-clock.mjs'), join(ROOT, file)],
    ];
    const operator = (name: Part, more: Record<string, string> = {}): ChildSpec => ({
      name,
      command: node('operator/src/main.ts'),
      env: {
        ...env,
        SEQPANEL_POD_NAME: name,
        SEQPANEL_TEST_SKEW_FILE: at(`skew-${name}`),
        ...options.operatorSettings,
        ...more,
      },
      logFile: at(`logs/${name}.log`),
      // The probe's port is known only after the start.
      isReady: async () => false,
    });
    const specs: Record<Part, ChildSpec> = {
      postgres: { ...postgres.spec, name: 'postgres' },
      api: {
        name: 'api',
        command: node('api/src/main.ts'),
        env: { ...env, KUBECONFIG: at('kubeconfig-api'), SEQPANEL_TEST_SKEW_FILE: at('skew-api') },
        logFile: at('logs/api.log'),
        stopMs: 3000,
        isReady: () => answers(`${url}/readyz`),
      },
      operator: operator('operator'),
      'operator-2': operator('operator-2', { KUBECONFIG: at('kubeconfig-2') }),
    };
    const { databaseUrl } = postgres;
    const product = new ClusterProduct(
      { plane, namespace, dataDir, storageDir, url, databaseUrl },
      { proxy, secondProxy, sql },
      specs,
    );
    try {
      await Promise.all([product.run('postgres').then(() => product.run('api')), product.run('operator')]);
    } catch (error) {
      await product.dispose();
      throw error;
    }
    return product;
  }

  /** Storage and programs for the stage pods of this product. */
  get place(): PodPlace {
    const bin = join(ROOT, 'node_modules/.bin');
    return { storageDir: this.storageDir, path: [import.meta.dirname, bin] };
  }

  /** Starts a part and waits until it is ready. `env` overrides its settings. */
  async run(part: Part, env: Record<string, string> = {}): Promise<void> {
    const spec = this.#specs[part];
    const probes = part === 'operator' || part === 'operator-2' ? await probedOnFreePort() : undefined;
    const child = new Child({ ...spec, ...probes, env: { ...spec.env, ...probes?.env, ...env } }, () => undefined);
    this.#children.set(part, { child, env });
    await child.start();
  }

  /** Stops a part, by SIGTERM unless another signal is given, without a restart. */
  async stop(part: Part, signal?: NodeJS.Signals): Promise<void> {
    await this.#restarts.get(part);
    const child = this.#children.get(part)?.child;
    if (child && signal) child.spec.stopSignal = signal;
    await child?.stop();
    this.#children.delete(part);
  }

  /** Kills a part by SIGKILL. It is restarted after the delay of a first crash, at every kill. */
  kill(part: Part): void {
    const killed = this.#children.get(part);
    if (killed?.child.pid === undefined) return;
    process.kill(killed.child.pid, 'SIGKILL');
    const restart = killed.child
      .stop()
      .then(() => wait(RESTART_MS))
      .then(() => this.run(part, killed.env))
      // A failed restart is detected by statuses that do not become current.
      .catch(() => undefined)
      .finally(() => this.#restarts.delete(part));
    this.#restarts.set(part, restart);
  }

  admin = (): Promise<RestClient> => logInAsAdmin(this.url, firstPassword(this.dataDir));

  log = (part: Part): string => readFileSync(join(this.dataDir, 'logs', `${part}.log`), 'utf8');

  async dispose(): Promise<void> {
    for (const part of ['api', 'operator', 'operator-2', 'postgres'] as const) await this.stop(part);
    await Promise.all([this.proxy.stop(), this.secondProxy.stop()]);
    this.sql.stop();
    rmSync(this.dataDir, { recursive: true, force: true });
  }
}

const answers = async (url: string): Promise<boolean> => (await fetch(url).catch(() => undefined))?.ok ?? false;

/** Returns a free port for an operator's probes. Chosen at each start, because an earlier one may be in use by now. */
async function probedOnFreePort(): Promise<Pick<ChildSpec, 'env' | 'isReady'>> {
  const [port] = await freePorts(1);
  return {
    env: { SEQPANEL_METRICS_PORT: String(port) },
    isReady: () => answers(`http://127.0.0.1:${port}/readyz`),
  };
}
