// npm test: installs what the tests need, checks types and style, runs the tests of the packages and then, in three
// parallel lanes, those that start whole processes. Ends with `N passed, N failed`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { prepareCluster } from './cluster.mjs';
import { buildConsole } from './console-build.mjs';
import { debianTools, installPackages, installTools, NODE, ROOT, requireNode20 } from './install.mjs';

requireNode20();
installPackages();
// Debian would also start these as services, so they are installed only in CI. Elsewhere their tests are skipped.
const started = [
  ['slapd', 'slapd'],
  ['promtool', 'prometheus'],
];
installTools([...debianTools('pipeline-images'), ['chromium', 'chromium'], ...(process.env.CI ? started : [])]);
buildConsole();

// Installs a real control plane from Go modules, once into the user's cache, and the Debian packages of a real node.
// Tests that miss something say why they are skipped.
prepareCluster();

const out = mkdtempSync(join(tmpdir(), 'seqpanel-test-'));
const audit = mkdtempSync(join(tmpdir(), 'seqpanel-audit-'));
const env = {
  ...process.env,
  // Every control plane writes here which rights operator and api used.
  SEQPANEL_TEST_AUDIT: audit,
  PATH: `${join(ROOT, 'node_modules', '.bin')}:${process.env.PATH}`,
  NODE_OPTIONS: '--experimental-vm-modules --disable-warning=ExperimentalWarning',
};
const bin = (name) => join(ROOT, 'node_modules', '.bin', name);
const counts = { passed: 0, failed: 0, skipped: 0 };

/** Time limit of a step. Its output shows where it hangs, and the other steps still count. */
const LIMIT_MS = 25 * 60_000;

/** Runs a program and resolves with whether it succeeded. `mark` prefixes its lines, where several run in parallel. */
async function step(title, command, args, { extraEnv = {}, mark } = {}) {
  const started = Date.now();
  const child = spawn(command, args, {
    cwd: ROOT,
    env: { ...env, ...extraEnv },
    stdio: ['inherit', mark ? 'pipe' : 'inherit', mark ? 'pipe' : 'inherit'],
  });
  const limit = setTimeout(() => {
    console.log(`${title} exceeded ${LIMIT_MS / 60_000} minutes and was killed`);
    child.kill('SIGKILL');
  }, LIMIT_MS);
  for (const stream of [child.stdout, child.stderr])
    if (stream) createInterface({ input: stream }).on('line', (line) => console.log(`${mark} | ${line}`));
  // Not 'close', because its children may hold its output open.
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
/** Jest with a real node, started and removed for the run. */
const ON_NODES = [join(ROOT, 'tests', 'cluster', 'node', 'main.ts'), 'test'];

/** Returns jest's report, or undefined when it wrote none. `program` is jest, or the program that starts it. */
async function runJest(title, args, { program = JEST, mark } = {}) {
  const file = join(out, `${title.replace(/\W+/g, '-')}.json`);
  const ok = await step(title, NODE, [...program, '--json', `--outputFile=${file}`, '--silent', ...args], { mark });
  try {
    const report = JSON.parse(readFileSync(file, 'utf8'));
    const failed = report.numFailedTests + report.numRuntimeErrorTestSuites;
    return ok || failed > 0 ? report : undefined; // failed without a failed test
  } catch {
    return undefined;
  }
}

function count(report) {
  counts.passed += report?.numPassedTests ?? 0;
  counts.failed += report ? report.numFailedTests + report.numRuntimeErrorTestSuites : 1;
  counts.skipped += report?.numPendingTests ?? 0;
}

/** Runs suites one after another. Returns the suites and files that failed, to run again, and counts the others. */
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

/** Counts the tests of some files of a report. */
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
count(
  await runJest('packages', [
    '--maxWorkers=2',
    '--selectProjects',
    'crds',
    'operator',
    'api',
    'pipeline-images',
    'console',
    'scripts',
  ]),
);

const tests = ['--runInBand', '--selectProjects', 'tests'];
const again = (files) => [...tests, '--runTestsByPath', ...files];
/** Suites with their own control planes, which mostly wait. They run beside the real node and the other tests. */
const ofPlanes = ['/tests/cluster/[^/]+\\.test', '/tests/faults/cluster/'];
const ofBrowser = '/tests/browser/';
const elsewhere = ['/node_modules/', '/tests/cluster/', '/tests/faults/cluster/', ofBrowser];
const lanes = [
  [
    { title: 'nodes', args: [], program: ON_NODES, again: (files) => files },
    // Runs last, after the other suites, because its time limits match a user's patience.
    { title: 'browser', args: [...tests, '--testPathPatterns', ofBrowser], again },
  ],
  [{ title: 'product', args: [...tests, '--testPathIgnorePatterns', ...elsewhere], again }],
  [{ title: 'control planes', args: [...tests, '--testPathPatterns', ...ofPlanes], again }],
];
const failures = (await Promise.all(lanes.map(lane))).flat();

// Tests of whole processes have time limits that a busy machine may exceed. Runs failed files again alone and says so.
for (const { title, files, program, again: argsOf } of failures) {
  console.log(`once more, alone: ${files.join(', ')}`);
  count(await runJest(`${title} once more`, argsOf(files), { program }));
}

await check('rights granted by the chart are those used', NODE, ['tests/cluster/privileges-used.ts', audit]);

for (const folder of [out, audit]) rmSync(folder, { recursive: true, force: true });
if (counts.skipped > 0) console.log(`${counts.skipped} skipped, see the reasons above`);
console.log(`${counts.passed} passed, ${counts.failed} failed`);
process.exit(counts.failed === 0 && counts.passed > 0 ? 0 : 1);
