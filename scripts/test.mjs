// npm test: brings what the tests need, checks types and style, runs the packages' tests side by side and then, one
// after the other, those that start whole processes. Ends with `N passed, N failed`.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepareCluster } from './cluster.mjs';
import { buildConsole } from './console-build.mjs';
import { debianTools, installPackages, installTools, NODE, ROOT, requireNode20 } from './install.mjs';

requireNode20();
installPackages();
// Debian would also start slapd as a service: only where nobody minds; elsewhere its test says that it is skipped.
const directory = process.env.CI ? [['slapd', 'slapd']] : [];
installTools([...debianTools('pipeline-images'), ['chromium', 'chromium'], ...directory]);
buildConsole();

// A real control plane from Go modules, once into the user's cache, and what a real node needs of Debian's packages;
// tests for which this machine has not all say why they are skipped.
prepareCluster();

const out = mkdtempSync(join(tmpdir(), 'seqpanel-test-'));
const env = {
  ...process.env,
  PATH: `${join(ROOT, 'node_modules', '.bin')}:${process.env.PATH}`,
  NODE_OPTIONS: '--experimental-vm-modules --disable-warning=ExperimentalWarning',
};
const bin = (name) => join(ROOT, 'node_modules', '.bin', name);
const counts = { passed: 0, failed: 0, skipped: 0 };

function step(title, command, args, extraEnv = {}) {
  const started = Date.now();
  const done = spawnSync(command, args, { cwd: ROOT, env: { ...env, ...extraEnv }, stdio: 'inherit' });
  const ok = done.status === 0;
  console.log(`${ok ? 'ok' : 'FAILED'}  ${title} (${Math.round((Date.now() - started) / 1000)} s)`);
  return ok;
}

function check(title, command, args) {
  if (step(title, command, args, { NODE_OPTIONS: '' })) counts.passed++;
  else counts.failed++;
}

/** The report that jest wrote; undefined when it wrote none. */
function runJest(title, args, program) {
  const file = join(out, `${title.replace(/\W+/g, '-')}.json`);
  const ok = step(title, NODE, [...program, '--json', `--outputFile=${file}`, '--silent', ...args]);
  try {
    const report = JSON.parse(readFileSync(file, 'utf8'));
    const told = report.numFailedTests + report.numRuntimeErrorTestSuites;
    return ok || told > 0 ? report : undefined; // it went wrong and no test says why
  } catch {
    return undefined;
  }
}

const JEST = [join(ROOT, 'node_modules', 'jest', 'bin', 'jest.js')];

/**
 * `program` is jest, or what prepares something for it and gives it the arguments. Files that fail are run `again` alone,
 * which is said: tests of whole processes have time-outs, and a machine may be busy with something else.
 */
function jest(title, args, { program = JEST, again } = {}) {
  const first = runJest(title, args, program);
  const failed = (first?.testResults ?? []).filter(({ status }) => status === 'failed');
  let reports = [first];
  if (again && failed.length > 0) {
    const names = failed.map(({ name }) => name.slice(ROOT.length + 1));
    console.log(`once more, alone: ${names.join(', ')}`);
    const kept = first.testResults.filter((file) => !failed.includes(file));
    reports = [summary(kept), runJest(`${title} once more`, again(names), program)];
  }
  for (const report of reports) {
    counts.passed += report?.numPassedTests ?? 0;
    counts.failed += report ? report.numFailedTests + report.numRuntimeErrorTestSuites : 1;
    counts.skipped += report?.numPendingTests ?? 0;
  }
}

/** The counts of some of a report's files. */
function summary(files) {
  const tests = files.flatMap(({ assertionResults }) => assertionResults);
  const count = (...statuses) => tests.filter(({ status }) => statuses.includes(status)).length;
  return {
    numPassedTests: count('passed'),
    numFailedTests: count('failed'),
    numRuntimeErrorTestSuites: 0,
    numPendingTests: count('pending', 'todo', 'skipped'),
  };
}

check('types of the servers', bin('tsc'), ['-p', 'tsconfig.json']);
check('types of the console', bin('tsc'), ['-p', 'console/tsconfig.json']);
check('style', bin('biome'), ['check', '.']);
check('requirements named by tests are known', NODE, ['tests/trace/trace.ts', '--check']);
jest('packages', ['--maxWorkers=2', '--selectProjects', 'crds', 'operator', 'api', 'pipeline-images', 'console']);
const onNodes = ['/node_modules/', '/tests/cluster/[^/]+/'];
const tests = ['--runInBand', '--selectProjects', 'tests'];
jest('whole product', [...tests, '--testPathIgnorePatterns', ...onNodes], {
  again: (files) => [...tests, '--runTestsByPath', ...files],
});
jest('real nodes', [], {
  program: [join(ROOT, 'tests', 'cluster', 'node', 'main.ts'), 'test'],
  again: (files) => files,
});

rmSync(out, { recursive: true, force: true });
if (counts.skipped > 0) console.log(`${counts.skipped} skipped: each says why above`);
console.log(`${counts.passed} passed, ${counts.failed} failed`);
process.exit(counts.failed === 0 && counts.passed > 0 ? 0 : 1);
