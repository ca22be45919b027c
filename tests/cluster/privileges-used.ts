/**
 * The last step of `npm test`: compares the rights that operator and api used in the whole suite, from the audit logs
 * of its control planes, with the chart's Roles. `privileges-used.ts FOLDER` prints the difference, which must be
 * empty.
 */
import { type Part, readKept, type Use } from './audit.ts';
import { findBinaries } from './binaries.ts';
import { chartRights, grantedTo } from './privileges.ts';

/** Required by the API server's admission, not by our calls. privileges.test.ts shows that they are needed. */
const ASKED_BY_ADMISSION = new Set([
  ...['analysistasks', 'paneltypes', 'genomes'].map((kind) => `update seqpanel.dev/${kind}/finalizers`),
  'assign-group seqpanel.dev/analysistasks',
]);

/** Returns a line for each right that was used without being granted, or granted without being used. */
function difference(granted: ReadonlySet<string>, used: ReadonlySet<string>): string[] {
  const isGranted = (right: string) => granted.has(right) || granted.has(`${right} everywhere`);
  return [
    ...[...used].filter((right) => !isGranted(right)).map((right) => `not granted: ${right}`),
    ...[...granted]
      .filter((right) => !used.has(right) && !ASKED_BY_ADMISSION.has(right))
      .map((right) => `never used: ${right}`),
  ].sort();
}

/** Returns the uses of operators with or without workers. One that scales workers starts with a list of WorkerPools. */
function ofOperators(planes: readonly Use[][], workers: boolean): Use[] {
  return planes.flatMap((plane) => {
    const uses = plane.filter(({ part }) => part === 'operator');
    const lists = uses.filter(({ right }) => right === 'list seqpanel.dev/workerpools');
    const scaling = new Set(lists.map(({ namespace }) => namespace));
    return uses.filter(({ namespace }) => scaling.has(namespace) === workers);
  });
}

/** Compares the files of a run in `folder`. Returns false when rights and uses differ. */
async function compare(folder: string, helm: string): Promise<boolean> {
  const planes = readKept(folder);
  const set = (uses: readonly Use[]) => new Set(uses.map(({ right }) => right));
  const all = planes.flat();
  const small = await chartRights(helm, 'seqpanel');
  const scaling = await chartRights(helm, 'seqpanel', { workers: true });
  const of = (part: Part) => set(all.filter((use) => use.part === part));
  const rows = [
    { who: 'api', granted: grantedTo(small, 'api'), used: of('api') },
    { who: 'operator', granted: grantedTo(small, 'operator'), used: set(ofOperators(planes, false)) },
    { who: 'operator with workers', granted: grantedTo(scaling, 'operator'), used: of('operator') },
  ];
  console.log(`rights used on ${planes.length} control planes`);
  const told = rows.map(({ who, granted, used }) => {
    const different = difference(granted, used);
    const lines = different.map((line) => `\n  ${line}`).join('') || 'none';
    console.log(`  ${who}: ${granted.size} granted, ${used.size} used, difference: ${lines}`);
    return different.length;
  });
  return told.every((count) => count === 0);
}

const [folder] = process.argv.slice(2);
const binaries = findBinaries();
if (!folder) throw new Error('privileges-used.ts FOLDER, where the tests ran with SEQPANEL_TEST_AUDIT=FOLDER');
if ('skipped' in binaries) console.log(`skipped: rights granted and used: ${binaries.skipped}`);
else if (!(await compare(folder, binaries.helm))) process.exitCode = 1;
