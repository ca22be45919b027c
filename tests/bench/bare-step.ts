/**
 * Runs only the work of one step: no Kubernetes, no job runner, no frame (hash checks of the frozen files, work folder, rename, reuse, termination message). The remaining tool commands, counting, tables and hashes of the outputs cost as much as the same analysis as a script.
 *
 *   node bare-step.ts STORAGE tasks/<id> OUT <step> [sample]
 *
 * The frozen files are those of a task that the product has run; everything is written below OUT.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StepResult, TaskSpec } from '@seqpanel/crds/step-contract.ts';
import { stepDir } from '@seqpanel/crds/storage.ts';
import { loadFrozen } from '../../pipeline-images/src/runner/frozen.ts';
import { listOutputs } from '../../pipeline-images/src/runner/outputs.ts';
import type { TaskContext, Upstream } from '../../pipeline-images/src/runner/step-definition.ts';
import { STEPS } from '../../pipeline-images/src/step-modules.ts';
import { createTools } from '../../pipeline-images/src/tools/tools.ts';

const [storage, taskPath, root, name, sampleName] = process.argv.slice(2) as [string, string, string, string, string?];
const task = JSON.parse(readFileSync(join(root, 'task.json'), 'utf8')) as TaskSpec;
const frozen = await loadFrozen(join(storage, taskPath), task);
const step = await STEPS[name]!();
if (step.scope === 'check') throw new Error(`${name} is no step of a task`);

const out = join(root, stepDir(name, sampleName));
const tmp = `${out}.tmp`;
for (const folder of [out, tmp]) mkdirSync(folder, { recursive: true });
const signal = new AbortController().signal;
const log = { info: () => undefined, tool: () => undefined };
const context: TaskContext = {
  step: name,
  storage,
  taskPath,
  task,
  frozen,
  samples: frozen.samples,
  cpus: Number(process.env['SEQPANEL_CPUS'] ?? 1),
  memoryMiB: Number(process.env['SEQPANEL_MEMORY_MIB'] ?? 1024),
  out,
  tmp,
  tools: createTools({ cwd: out, log, signal, hide: [tmp, out, storage] }),
  log,
  signal,
  upstream: async (earlier, sample): Promise<Upstream> => {
    const dir = join(root, stepDir(earlier, sample));
    const result = JSON.parse(readFileSync(join(dir, 'result.json'), 'utf8')) as StepResult;
    return {
      dir,
      result,
      path: (file) => join(dir, file),
      sha256: (file) => result.outputs.find(({ path }) => path === file)?.sha256 ?? '',
    };
  },
};
const sample = frozen.samples.find((row) => row.sample === sampleName);
const pod = { samples: 1, atEnd: () => undefined };
const outcome = step.scope === 'task' ? await step.run(context) : await step.run({ ...context, sample: sample!, pod });
writeFileSync(
  join(out, 'result.json'),
  JSON.stringify({
    step: name,
    ...(sampleName ? { sample: sampleName } : {}),
    fingerprint: '',
    outputs: await listOutputs(out, outcome.types),
    metrics: outcome.metrics ?? {},
    tools: await context.tools.used(),
    warnings: outcome.warnings ?? [],
  }),
);
