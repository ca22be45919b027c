import { REQUEST_ID_ENV, TRACEPARENT_ENV } from '@seqpanel/crds/correlation.ts';
import { parseRanges, STEP_ENV } from '@seqpanel/crds/step-contract.ts';
import { isPlainName, isPlainPath } from '@seqpanel/crds/storage-path.ts';

export interface Arguments {
  step: string;
  /** Path of the spec file. */
  spec: string;
  /** Task folder relative to the storage root. Absent for checks. */
  task?: string;
  /** Name of a single sample, for manual runs. */
  sample?: string;
}

/** Parses `<step> --spec FILE [--task DIR] [--sample NAME]`. Throws an Error with the usage for anything else. */
export function parseArguments(argv: readonly string[]): Arguments {
  const [step, ...rest] = argv;
  const given: Record<string, string> = {};
  for (let i = 0; i < rest.length; i += 2) {
    const key = /^--(spec|task|sample)$/.exec(rest[i] ?? '')?.[1];
    const value = rest[i + 1];
    if (!key || value === undefined) throw new Error(usage(`unexpected "${rest[i]}"`));
    given[key] = value;
  }
  if (!step || step.startsWith('-')) throw new Error(usage('the step is missing'));
  if (!given['spec']) throw new Error(usage('--spec is missing'));
  if (given['task'] !== undefined && !isPlainPath(given['task']))
    throw new Error(usage('--task must be a path below the storage root'));
  if (given['sample'] !== undefined && !isPlainName(given['sample']))
    throw new Error(usage('--sample must be the name of a sample'));
  return { step, spec: given['spec'], task: given['task'], sample: given['sample'] };
}

const usage = (what: string): string => `${what}; usage: seqpanel-step <step> --spec FILE [--task DIR] [--sample NAME]`;

export interface Environment {
  storage: string;
  /** Request id and trace of the launch, for the log. */
  correlation: string[];
  podUid: string | undefined;
  /** Indexes into spec.samples that this pod processes. Undefined: all samples. */
  sampleIndexes: number[] | undefined;
  samplesPerPod: number;
  /** Indexes into spec.samples of the samples that failed in earlier steps. */
  failedSamples: number[];
  cpus: number;
  memoryMiB: number;
}

/** Reads the variables of STEP_ENV. Throws an Error that names the invalid variable. */
export function parseEnvironment(env: NodeJS.ProcessEnv): Environment {
  const whole = (name: string, fallback: number, least: number): number => {
    const text = env[name];
    if (text === undefined || text === '') return fallback;
    const value = Number(text);
    if (!Number.isInteger(value) || value < least) throw new Error(`${name} must be a whole number from ${least}`);
    return value;
  };
  const storage = env[STEP_ENV.storage];
  if (!storage?.startsWith('/')) throw new Error(`${STEP_ENV.storage} must be an absolute path`);
  const samplesPerPod = whole(STEP_ENV.samplesPerPod, 1, 1);
  const list = env[STEP_ENV.samples];
  const index = env[STEP_ENV.completionIndex];
  let sampleIndexes: number[] | undefined;
  if (list !== undefined && index !== undefined) {
    const n = whole(STEP_ENV.completionIndex, 0, 0);
    sampleIndexes = parseRanges(list).slice(n * samplesPerPod, (n + 1) * samplesPerPod);
    if (sampleIndexes.length === 0)
      throw new Error(`${STEP_ENV.completionIndex}=${n} is outside ${STEP_ENV.samples}=${list}`);
  }
  return {
    storage: storage.replace(/\/+$/, ''),
    correlation: [REQUEST_ID_ENV, TRACEPARENT_ENV].flatMap((name) => (env[name] ? [`${name}=${env[name]}`] : [])),
    podUid: env[STEP_ENV.podUid] || undefined,
    sampleIndexes,
    samplesPerPod,
    failedSamples: parseRanges(env[STEP_ENV.failedSamples] ?? ''),
    cpus: whole(STEP_ENV.cpus, 1, 1),
    memoryMiB: whole(STEP_ENV.memoryMiB, 1024, 64),
  };
}
