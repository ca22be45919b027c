/** Runs the synthetic demo through every step of the pipeline, with the programs of the tree or of an image. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { DemoManifest } from '@seqpanel/crds/demo-manifest.ts';
import { makeTask } from '../support/pipeline-task.ts';
import type { Ended } from './built-images.ts';

const BIN = join(import.meta.dirname, '..', '..', 'pipeline-images', 'bin');
const STEPS = ['reads', 'cohort', 'call', 'joint', 'annotation', 'post-filter', 'qc', 'report'];

export interface DemoRun {
  /** The sample's calls, as VCF text. */
  calls: string;
  /** `step path sha256` of every file in the steps' result.json, except output.zip, which contains logs with times. */
  outputs: string[];
  /** `name version` of every tool that ran. */
  tools: string[];
}

/**
 * `program` runs a command with `storage` mounted at /storage. Without it the tree's programs run on `storage`. Throws
 * with the output of a failed command.
 */
export async function demoRun(storage: string, program?: (...command: string[]) => Promise<Ended>): Promise<DemoRun> {
  const root = program ? '/storage' : storage;
  const command = async (name: string, ...args: string[]) => {
    // Gives the group access to files of the host's root, as with a pod's fsGroup.
    execFileSync('chmod', ['-R', 'a+rwX', storage]);
    const { code, output } = await (program ?? own(storage))(name, ...args);
    if (code !== 0) throw new Error(`${name} ${args.join(' ')} ended with ${code}\n${output}`);
  };
  await command('seqpanel-demo', '--out', `${root}/incoming/demo`);
  const demo = join(storage, 'incoming', 'demo');
  const manifest = JSON.parse(readFileSync(join(demo, 'demo.json'), 'utf8')) as DemoManifest;
  const { displayName, value, fasta, annotation } = manifest.genome;
  const source = { path: `incoming/demo/${fasta}` };
  const sources = annotation.map(({ path, ...one }) => ({ ...one, source: { path: `incoming/demo/${path}` } }));
  const genome = { name: value, spec: { displayName, value, source, annotation: sources } };
  writeFileSync(join(storage, 'genome.json'), JSON.stringify(genome));
  await command('seqpanel-step', 'install-genome', '--spec', `${root}/genome.json`);

  const reads = (mate: string) => join(demo, 'reads', `germline1_S1_L001_${mate}_001.fastq.gz`);
  const task = await makeTask({
    storage,
    id: 'demo',
    panel: JSON.parse(readFileSync(join(demo, 'demo-panel.json'), 'utf8')),
    samples: [{ name: 'germline1', r1: reads('R1'), r2: reads('R2') }],
    control: readFileSync(join(demo, 'demo-panel.txt'), 'utf8'),
  });
  for (const step of STEPS)
    await command('seqpanel-step', step, '--spec', `${root}/demo-task.json`, '--task', 'tasks/demo');
  return collect(task.folder);
}

function own(storage: string): (...command: string[]) => Promise<Ended> {
  return async (name, ...args) => {
    const env = { ...process.env, NODE_OPTIONS: '', SEQPANEL_STORAGE: storage };
    return { code: 0, output: execFileSync(join(BIN, name!), args, { env, encoding: 'utf8', stdio: 'pipe' }) };
  };
}

function collect(folder: string): DemoRun {
  const outputs: string[] = [];
  const tools = new Set<string>();
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    if (!path.endsWith('result.json')) continue;
    const result = JSON.parse(readFileSync(join(folder, path), 'utf8')) as {
      outputs: { path: string; sha256: string }[];
      tools: { name: string; version: string }[];
    };
    for (const { path: file, sha256 } of result.outputs)
      if (file !== 'output.zip') outputs.push(`${path} ${file} ${sha256}`);
    for (const { name, version } of result.tools) tools.add(`${name} ${version}`);
  }
  const calls = gunzipSync(readFileSync(join(folder, 'samples/germline1/call/calls.vcf.gz'))).toString();
  return { calls, outputs, tools: [...tools].sort() };
}
