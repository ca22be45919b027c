// npm test: installs what the tests need, checks types and style, runs the packages' tests and then, in three lanes,
// those that start whole processes. Ends with `N passed, N failed`.
// npm test -- PACKAGE...: runs the unit tests of these packages alone.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { prepareCluster } from './cluster.mjs';
import { buildConsole } from './console-build.mjs';
import { debianTools, installPackages, installTools, NODE, ROOT, requireNode20 } from './install.mjs';

const PACKAGES = ['crds', 'operator', 'api', 'pipeline-images', 'console', 'scripts'];
const chosen = process.argv.slice(2);
const unknown = chosen.filter((name) => !PACKAGES.includes(name));
if (unknown.length > 0) {
  console.error(`Unknown package: ${unknown.join(', ')}. Packages: ${PACKAGES.join(', ')}.`);
  process.exit(2);
}

requireNode20();
installPackages();
if (chosen.length > 0) {
  if (chosen.includes('pipeline-images')) installTools(debianTools('pipeline-images'));
  const jest = join(ROOT, 'node_modules', 'jest', 'bin', 'jest.js');
  const { status } = spawnSync(NODE, [jest, '--maxWorkers=2', '--selectProjects', ...chosen], {
    cwd: ROOT,
    stdio: 'inherit',
    env: {
      ...process.env,
      PATH: `${join(ROOT, 'node_modules', '.bin')}:${process.env.PATH}`,
      NODE_OPTIONS: '--experimental-vm-modules --disable-warning=ExperimentalWarning',
    },
  });
  process.exit(status ?? 1);
}

// Debian starts these as services, so only CI installs them; elsewhere their tests are skipped with the reason.
const started = [
  ['slapd', 'slapd'],
  ['promtool', 'prometheus'],
];
installTools([...debianTools('pipeline-images'), ['chromium', 'chromium'], ...(process.env.CI ? started : [])]);
buildConsole();

// Builds a real control plane from Go modules, once, into the user's cache, and installs the Debian packages of a real
// node. Tests that need more than this machine has are skipped with the reason.
prepareCluster();

const out = mkdtempSync(join(tmpdir(), 'seqpanel-test-'));
const audit = mkdtempSync(join(tmpdir(), 'seqpanel-audit-'));
const env = {
  ...process.env,
  // Each control plane records there which rights operator and api used.
  SEQPANEL_TEST_AUDIT: audit,
  PATH: `${join(ROOT, 'node_modules', '.bin')}:${process.env.PATH}`,
  NODE_OPTIONS: '--experimental-vm-modules --disable-warning=ExperimentalWarning',
};
const bin = (name) => join(ROOT, 'node_modules', '.bin', name);
const counts = { passed: 0, failed: 0, skipped: 0 };

/** Kills a step that hangs, so that the results of the others still count. */
const LIMIT_MS = 25 * 60_000;

/** Runs a program; resolves with whether it succeeded. `mark` prefixes each of its lines where two run side by side. */
async function step(title, command, args, { extraEnv = {}, mark } = {}) {
  const started = Date.now();
  const child = spawn(command, args, {
    cwd: ROOT,
    env: { ...env, ...extraEnv },
    stdio: ['inherit', mark ? 'pipe' : 'inherit', mark ? 'pipe' : 'inherit'],
  });
  const limit = setTimeout(() => {
    console.log(`${title} exceeded ${LIMIT_MS / 60_000} minutes: killed`);
    child.kill('SIGKILL');
  }, LIMIT_MS);
  for (const stream of [child.stdout, child.stderr])
    if (stream) createInterface({ input: stream }).on('line', (line) => console.log(`${mark} | ${line}`));
  // Not 'close', because a grandchild may hold the output open.
  const [code] = await once(child, 'exit');
  clearTimeout(limit);
  console.log(`${code === 0 ? 'ok' : 'FAILED'}  ${title} (${Math.round((Date.now() - started) / 1000)} s)`);
  return code === 0;
}

async function check(title, command, args) {
  if (await step(title, command, args, { extraEnv: { NODE_OPTIONS: '' } })) counts.passed++;
  else counts.failed++;
}

const JEST = [join(ROOT, 'node_modules', 'jest', 'bin', 'jest.js')];
/** Jest on a real node, which is started for it and removed afterwards. */
const ON_NODES = [join(ROOT, 'tests', 'cluster', 'node', 'main.ts'), 'test'];

/** Returns jest's report; undefined without one. `program` is jest, or a program that passes it the arguments. */
async function runJest(title, args, { program = JEST, mark } = {}) {
  const file = join(out, `${title.replace(/\W+/g, '-')}.json`);
  const ok = await step(title, NODE, [...program, '--json', `--outputFile=${file}`, '--silent', ...args], { mark });
  try {
    const report = JSON.parse(readFileSync(file, 'utf8'));
    const failed = report.numFailedTests + report.numRuntimeErrorTestSuites;
    return ok || failed > 0 ? report : undefined; // jest failed and no test explains it
  } catch {
    return undefined;
  }
}

function count(report) {
  counts.passed += report?.numPassedTests ?? 0;
  counts.failed += report ? report.numFailedTests + report.numRuntimeErrorTestSuites : 1;
  counts.skipped += report?.numPendingTests ?? 0;
}

/** Runs suites one after the other. Returns the suites with failed files, to retry; counts the rest. */
async function lane(suites) {
  const failures = [];
  for (const suite of suites) {
    const report = await runJest(suite.title, suite.args, { program: suite.program, mark: suite.title });
    const failed = (report?.testResults ?? []).filter(({ status }) => status === 'failed');
    count(report && summary(report.testResults.filter((file) => !failed.includes(file))));
    if (failed.length > 0) failures.push({ ...suite, files: failed.map(({ name }) => name.slice(ROOT.length + 1)) });
  }
  return failures;
}

/** Returns the counts of some of a report's files. */
function summary(files) {
  const tests = files.flatMap(({ assertionResults }) => assertionResults);
  const number = (...statuses) => tests.filter(({ status }) => statuses.includes(status)).length;
  return {
    numPassedTests: number('passed'),
    numFailedTests: number('failed'),
    numRuntimeErrorTestSuites: 0,
    numPendingTests: number('pending', 'todo', 'skipped'),
  };
}

await check('types of api, operator and pipeline', bin('tsc'), ['-p', 'tsconfig.json']);
await check('types of the console', bin('tsc'), ['-p', 'console/tsconfig.json']);
await check('style', bin('biome'), ['check', '.']);
await check('requirements named by tests are known', NODE, ['tests/trace/trace.ts', '--check']);
count(await runJest('packages', ['--maxWorkers=2', '--selectProjects', ...PACKAGES]));

const tests = ['--runInBand', '--selectProjects', 'tests'];
const again = (files) => [...tests, '--runTestsByPath', ...files];
/** Tests that start their own control plane. They mostly wait, so they run beside the node and the tools. */
const ofPlanes = ['/tests/cluster/[^/]+\\.test', '/tests/faults/cluster/'];
const ofBrowser = '/tests/browser/';
const elsewhere = ['/node_modules/', '/tests/cluster/', '/tests/faults/cluster/', ofBrowser];
const lanes = [
  [
    { title: 'nodes', args: [], program: ON_NODES, again: (files) => files },
    // Last in its lane, when the machine is less busy, because its time limits are short.
    { title: 'browser', args: [...tests, '--testPathPatterns', ofBrowser], again },
  ],
  [{ title: 'product', args: [...tests, '--testPathIgnorePatterns', ...elsewhere], again }],
  [{ title: 'control planes', args: [...tests, '--testPathPatterns', ...ofPlanes], again }],
];
const failures = (await Promise.all(lanes.map(lane))).flat();

// Retries failed files alone, because tests of whole processes have time-outs and the machine may be busy.
for (const { title, files, program, again: argsOf } of failures) {
  console.log(`retrying alone: ${files.join(', ')}`);
  count(await runJest(`${title} retry`, argsOf(files), { program }));
}

await check('rights granted by the chart are those used', NODE, ['tests/cluster/privileges-used.ts', audit]);

for (const folder of [out, audit]) rmSync(folder, { recursive: true, force: true });
if (counts.skipped > 0) console.log(`${counts.skipped} skipped: see the reasons above`);
console.log(`${counts.passed} passed, ${counts.failed} failed`);
process.exit(counts.failed === 0 && counts.passed > 0 ? 0 : 1);
