/** `seqpanel-step check-panel --spec FILE`: checks the panel file and the control file of a PanelType. */

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Contig } from '@seqpanel/crds/contigs.ts';
import { type ControlFile, parseControlFile } from '@seqpanel/crds/control-file.ts';
import type { PanelFile } from '@seqpanel/crds/panel.ts';
import { validatePanel } from '@seqpanel/crds/panel-rules.ts';
import type { Preset } from '@seqpanel/crds/preset.ts';
import { presetProblems } from '@seqpanel/crds/preset-rules.ts';
import { formatProblem, type Problem } from '@seqpanel/crds/problem.ts';
import { isBelow, PANEL_SOURCES, panelDir } from '@seqpanel/crds/storage.ts';
import { readInstalled } from '../genome/reference.ts';
import { BadInput } from '../runner/bad-input.ts';
import { sha256 } from '../runner/files.ts';
import type { CheckContext, CheckStep } from '../runner/step-definition.ts';

interface FileReference {
  path: string;
  sha256: string;
}

interface PanelSpec {
  name: string;
  spec: {
    value: string;
    genome: string;
    files: { panel: FileReference; control?: FileReference; parameters?: FileReference[] };
  };
  genome?: { value: string; contigs?: Contig[] };
}

async function readChecked(context: CheckContext, file: FileReference): Promise<string> {
  if (!isBelow(PANEL_SOURCES, file.path))
    throw new BadInput(file.path, undefined, 'must be below panels/ or incoming/');
  const bytes = await readFile(`${context.storage}/${file.path}`).catch(() => undefined);
  if (!bytes) throw new BadInput(file.path, undefined, 'file not found', 'panel_file_missing');
  if (sha256(bytes) !== file.sha256)
    throw new BadInput(file.path, undefined, 'differs from the file the panel type was saved with', 'hash_mismatch');
  return bytes.toString();
}

function parseJson(text: string, name: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new BadInput(name, undefined, `is not JSON: ${(error as Error).message}`, 'panel_invalid');
  }
}

/** Like presetProblems, for a document that may not be a parameters file. */
function presetFileProblems(preset: Preset, panel: PanelFile): { field: string; message: string }[] {
  try {
    return presetProblems(preset, panel);
  } catch {
    return [{ field: '', message: 'is not a parameters file' }];
  }
}

/** Returns all problems with the name of their file. */
async function findProblems(context: CheckContext, request: PanelSpec): Promise<{ file: string; problem: Problem }[]> {
  const { panel, control } = request.spec.files;
  const document = parseJson(await readChecked(context, panel), basename(panel.path));
  const out: { file: string; problem: Problem }[] = [];
  let parsed: ControlFile | undefined;
  if (control) {
    const read = parseControlFile(await readChecked(context, control));
    parsed = read.control;
    for (const problem of read.problems) out.push({ file: basename(control.path), problem });
  }
  const genome = await readInstalled(context.storage, request.genome?.value ?? request.spec.genome);
  const problems = validatePanel(document, {
    value: request.spec.value,
    genomeContigs: genome?.contigs ?? request.genome?.contigs,
    ...(control && parsed ? { controlName: basename(control.path), control: parsed } : {}),
  });
  for (const problem of problems) {
    const inControl = /^\[\w+\] line /.test(problem.path);
    out.push({ file: basename(inControl && control ? control.path : panel.path), problem });
  }
  // The parameters file is checked against the panel, so the panel must be valid first.
  if (out.length > 0) return out;
  for (const file of request.spec.files.parameters ?? []) {
    const preset = parseJson(await readChecked(context, file), basename(file.path)) as Preset;
    for (const { field, message } of presetFileProblems(preset, document as PanelFile))
      out.push({ file: basename(file.path), problem: { path: field, message } });
  }
  return out;
}

async function run(context: CheckContext): Promise<Record<string, unknown>> {
  const request = context.spec as PanelSpec;
  const found = await findProblems(context, request);
  if (found.length === 0) return {};
  const lines = found.map(({ file, problem }) => `${file}: ${formatProblem(problem)}`);
  const report = `${context.storage}/${panelDir(request.spec.value)}`;
  // The termination message contains the first problem. check.txt beside the panel's files lists all.
  await mkdir(report, { recursive: true });
  await writeFile(`${report}/check.txt`, `${lines.join('\n')}\n`);
  for (const line of lines) context.log.info(line);
  const more = lines.length > 1 ? ` (and ${lines.length - 1} more in ${panelDir(request.spec.value)}/check.txt)` : '';
  const first = found[0]!;
  throw new BadInput(first.file, undefined, `${formatProblem(first.problem)}${more}`, 'panel_invalid');
}

export const checkPanelStep: CheckStep = { name: 'check-panel', scope: 'check', run };
