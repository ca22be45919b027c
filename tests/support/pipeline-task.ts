/** Creates a task folder, to run step programs without api and operator. */

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { PanelFile } from '@seqpanel/crds/panel.ts';
import type { Preset } from '@seqpanel/crds/preset.ts';
import type { Sample } from '@seqpanel/crds/sample.ts';
import { encodeSamples } from '@seqpanel/crds/samples-table.ts';
import type { FrozenManifest, TaskSpec } from '@seqpanel/crds/step-contract.ts';

const ROOT = join(import.meta.dirname, '../..');
const STEP = join(ROOT, 'pipeline-images/bin/seqpanel-step');

/** Folder of the public test data, or undefined when this machine lacks it. */
export function testData(): string | undefined {
  const folder = process.env['SEQPANEL_TEST_DATA'] ?? join(ROOT, '../shared/data');
  return existsSync(join(folder, 'README.md')) ? folder : undefined;
}

/** Folder outside of the tree that keeps indexes between runs. */
export const testCache = (): string => process.env['SEQPANEL_TEST_CACHE'] ?? join(tmpdir(), 'seqpanel-test-cache');

export interface ProgramEnd {
  exit: number;
  output: string;
  /** The termination message, parsed. */
  message: { outcome: string; code?: string; message?: string; failed?: { sample: string; message: string }[] };
}

/** Starts a step program. Returns its process and a promise of its end. */
export function startStep(
  storage: string,
  args: readonly string[],
  env: Record<string, string> = {},
): { pid: number; end: Promise<ProgramEnd> } {
  const termination = join(
    storage,
    `termination-${createHash('sha256').update(`${args}${process.hrtime()}`).digest('hex')}`,
  );
  const child = spawn(STEP, args, {
    env: {
      ...process.env,
      PATH: `${join(ROOT, 'node_modules/.bin')}:${process.env['PATH']}`,
      NODE_OPTIONS: '',
      SEQPANEL_STORAGE: storage,
      SEQPANEL_TERMINATION_LOG: termination,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const end = new Promise<ProgramEnd>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      const text = existsSync(termination) ? readFileSync(termination, 'utf8') : '{"outcome":"none"}';
      resolve({ exit: code ?? (signal === 'SIGKILL' ? 137 : 143), output, message: JSON.parse(text) });
    });
  });
  return { pid: child.pid!, end };
}

/** Installs a FASTA and annotation sources with the product's own step. */
export async function installGenome(
  storage: string,
  value: string,
  fasta: string,
  sources: readonly { name: string; kind: string; file: string }[] = [],
): Promise<void> {
  await mkdir(`${storage}/incoming`, { recursive: true });
  const place = async (file: string): Promise<{ path: string }> => {
    const path = `incoming/${basename(file)}`;
    await copyFile(file, `${storage}/${path}`);
    return { path };
  };
  const annotation = await Promise.all(
    sources.map(async ({ name, kind, file }) => ({ name, kind, version: '1', source: await place(file) })),
  );
  const spec = { name: value, spec: { displayName: value, value, source: await place(fasta), annotation } };
  await writeFile(`${storage}/${value}-genome.json`, JSON.stringify(spec));
  const { exit, output } = await startStep(storage, ['install-genome', '--spec', `${storage}/${value}-genome.json`])
    .end;
  if (exit !== 0) throw new Error(`install-genome ended with ${exit}\n${output}`);
}

/** Reads genome.json of an installed genome. */
export const installed = (storage: string, value: string) =>
  JSON.parse(readFileSync(`${storage}/references/${value}/genome.json`, 'utf8')) as {
    value: string;
    contigs: { name: string; length: number; md5?: string; canonical?: string; aliases?: string[] }[];
  };

export interface HandSample {
  name: string;
  /** Absolute paths; copied into the project's folder. */
  r1?: string;
  r2?: string;
  bam?: string;
  lanes?: { lane: string; r1: string; r2?: string }[];
  qcType?: string;
  role?: string;
  pair?: string;
}

export interface HandTask {
  storage: string;
  id: string;
  panel: PanelFile;
  samples: readonly HandSample[];
  source?: 'fq' | 'bam';
  parameters?: Preset['parameters']['values'];
  /** Text of the control file. */
  control?: string;
  preset?: Partial<Preset>;
  pairs?: { name: string; tumor: string; normal: string }[];
}

const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');

/** Writes the frozen files of a task and its task.json. Returns the folder and a function that runs its steps. */
export async function makeTask(task: HandTask) {
  const { storage, id, panel } = task;
  const folder = `${storage}/tasks/${id}`;
  await mkdir(folder, { recursive: true });
  await mkdir(`${storage}/projects/g/p`, { recursive: true });
  const samples: Sample[] = [];
  for (const sample of task.samples) {
    const lanes = sample.lanes ?? (sample.r1 ? [{ lane: 'L001', r1: sample.r1, r2: sample.r2 }] : []);
    const given = [
      ...lanes.flatMap(({ lane, r1, r2 }) => [
        { read: 'R1' as const, lane, from: r1 },
        ...(r2 ? [{ read: 'R2' as const, lane, from: r2 }] : []),
      ]),
      ...(sample.bam ? [{ read: 'bam' as const, lane: undefined, from: sample.bam }] : []),
    ];
    const files = [];
    for (const { read, lane, from } of given) {
      const name = basename(from);
      const path = `projects/g/p/${name}`;
      await copyFile(from, `${storage}/${path}`);
      const content = readFileSync(from);
      files.push({ name, path, read, lane, size: content.length, sha256: sha256(content) });
    }
    const { name, qcType = 'Sample', role = 'germline', pair } = sample;
    samples.push({
      name,
      libraryId: name,
      qcType: qcType as 'Sample',
      role: role as 'germline',
      cnvNormal: false,
      ...(pair && { pair }),
      files,
    });
  }
  const preset: Preset = {
    schema_version: 1,
    name: 'by hand',
    panel: panel.value,
    pipelineVersion: '1.0.0',
    roi: { useDefault: true, rows: [] },
    bisulfiteTargets: { useDefault: true, rows: [] },
    cpgSites: { useDefault: true, rows: [] },
    parameters: { useDefault: false, values: task.parameters ?? {} },
    postFilter: { useDefault: true, groups: [] },
    qc: { useDefault: true, skip: false, conditions: [] },
    functionalAnnotation: true,
    copyGain: 1.3,
    copyLoss: 0.7,
    ...task.preset,
  };
  const annotation = `${storage}/references/${panel.genome.value}/annotation.json`;
  const texts: Record<string, string> = {
    'preset.json': JSON.stringify(preset),
    'panel.json': JSON.stringify(panel),
    'genome.json': frozenGenome(storage, panel.genome.value),
    'annotation.json': existsSync(annotation) ? readFileSync(annotation, 'utf8') : '{"schema_version":1,"sources":[]}',
    'samples.tsv': encodeSamples(samples),
    'external_normals.tsv': 'origin\tsample\tpath\tsha256\n',
    ...(task.control === undefined ? {} : { 'control.txt': task.control }),
  };
  const manifest: FrozenManifest = { schema_version: 1, files: [] };
  for (const [name, text] of Object.entries(texts)) {
    await writeFile(`${folder}/${name}`, text);
    manifest.files.push({ name, sha256: sha256(text), size: Buffer.byteLength(text) });
  }
  const manifestText = JSON.stringify(manifest);
  await writeFile(`${folder}/frozen.json`, manifestText);
  const spec: TaskSpec = {
    schema_version: 2,
    task: id,
    uid: id,
    spec: {
      name: id,
      group: 'g',
      project: 'p',
      panelType: { name: panel.value, sha256: sha256(texts['panel.json']!) },
      pipeline: { name: 'panel', version: '1.0.0' },
      preset: { name: 'by hand', sha256: sha256(texts['preset.json']!) },
      frozen: sha256(manifestText),
      source: task.source ?? 'fq',
      samples: samples.map(({ name }) => ({ name })),
      pairs: task.pairs,
    },
  };
  const specFile = `${storage}/${id}-task.json`;
  await writeFile(specFile, JSON.stringify(spec));
  return {
    folder,
    specFile,
    start: (step: string, env?: Record<string, string>, more: string[] = []) =>
      startStep(storage, [step, '--spec', specFile, '--task', `tasks/${id}`, ...more], env),
    run: (step: string, env?: Record<string, string>, more: string[] = []) =>
      startStep(storage, [step, '--spec', specFile, '--task', `tasks/${id}`, ...more], env).end,
  };
}

/** As frozen by the api, without its source. */
function frozenGenome(storage: string, value: string): string {
  const { source: _, ...rest } = JSON.parse(readFileSync(`${storage}/references/${value}/genome.json`, 'utf8'));
  return JSON.stringify(rest);
}
