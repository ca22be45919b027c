/** Checks the files of a panel type, individually and together. No I/O. */

import type { Contig } from '@seqpanel/crds/contigs.ts';
import { parseControlFile } from '@seqpanel/crds/control-file.ts';
import { formatMessage, type MessageCode } from '@seqpanel/crds/messages.ts';
import type { PanelFile } from '@seqpanel/crds/panel.ts';
import { validatePanel } from '@seqpanel/crds/panel-rules.ts';
import type { Preset } from '@seqpanel/crds/preset.ts';
import { presetProblems } from '@seqpanel/crds/preset-rules.ts';
import type { Problem as FileProblem } from '@seqpanel/crds/problem.ts';
import type { Problem } from '../errors.ts';
import type { IncomingFile } from './intake.ts';

export interface CheckedFile extends IncomingFile {
  problems: Problem[];
}

export interface FileCheck {
  files: CheckedFile[];
  panel: PanelFile | undefined;
}

export interface CheckContext {
  value: string;
  /** Contigs of the genome, if known. */
  contigs?: readonly Contig[];
  /** Stored panel file, used when this call uploads none. */
  storedPanel?: PanelFile;
  /** Name of the stored control file, used when this call uploads none. */
  storedControl?: string;
}

const problem = (code: MessageCode, field: string, values?: Record<string, unknown>): Problem => ({
  field,
  code,
  message: formatMessage(code, values),
  ...(values && { values }),
});
const problemIn = (code: MessageCode, file: string, { path, message }: FileProblem): Problem => ({
  field: path ? `${file}: ${path}` : file,
  code,
  message: path ? `${path}: ${message}` : message,
  values: { problem: message },
});

/** Checks each file in the context of the others. Returns every file with its problems, in the given order. */
export function checkFiles(incoming: readonly IncomingFile[], context: CheckContext): FileCheck {
  const problems = new Map<IncomingFile, Problem[]>(incoming.map((file) => [file, []]));
  const panelFile = incoming.find(({ role }) => role === 'panel');
  const controlFile = incoming.find(({ role }) => role === 'control');
  let panel = context.storedPanel;

  if (controlFile && !/\.txt$/i.test(controlFile.name))
    problems.get(controlFile)!.push(problem('control_file_type', controlFile.name));
  const parsed = controlFile && parseControlFile(controlFile.content.toString('utf8'));
  if (controlFile && parsed) {
    problems
      .get(controlFile)!
      .push(...parsed.problems.map((found) => problemIn('control_file_name', controlFile.name, found)));
  }
  if (panelFile) {
    const document = parseJson(panelFile.content);
    const own = problems.get(panelFile)!;
    if (panelFile.name !== `${context.value}.json`) own.push(problem('panel_file_name', panelFile.name));
    if (document === undefined) own.push(problem('panel_file_name', panelFile.name));
    else {
      const found = validatePanel(document, {
        value: context.value,
        ...(context.contigs && { genomeContigs: context.contigs }),
        ...(parsed && parsed.problems.length === 0 && { control: parsed.control }),
      });
      own.push(...found.map((one) => problemIn('panel_file_invalid', panelFile.name, one)));
      if (found.length === 0) panel = document as PanelFile;
    }
  }
  const controlName = controlFile?.name ?? context.storedControl;
  if (panel && panel.control !== controlName && (controlFile || panelFile)) {
    const blamed = controlFile ?? panelFile!;
    problems.get(blamed)!.push(problem('control_file_name', controlFile?.name ?? panel.control ?? ''));
  }
  for (const file of incoming.filter(({ role }) => role === 'parameters')) {
    problems.get(file)!.push(...parameterFileProblems(file, panel));
  }
  for (const file of incoming.filter(({ role }) => role === 'unknown')) {
    problems.get(file)!.push(problem('file_format_unsupported', file.name));
  }
  return { files: incoming.map((file) => ({ ...file, problems: problems.get(file)! })), panel };
}

function parameterFileProblems(file: IncomingFile, panel: PanelFile | undefined): Problem[] {
  const refuse = (text: string): Problem[] => [
    problem('parameter_file_invalid', file.name, { file: file.name, problem: text }),
  ];
  if (!/\.json$/i.test(file.name)) return refuse('it is not a json file');
  const preset = parseJson(file.content) as Preset | undefined;
  if (preset?.schema_version !== 1 || !preset.roi || !preset.parameters || !preset.postFilter || !preset.qc) {
    return refuse('it does not have the parts of a parameters file');
  }
  if (!panel) return [];
  if (preset.panel !== panel.value) return refuse(`it is of the panel ${preset.panel}`);
  const first = presetProblems(preset, panel)[0];
  return first ? refuse(`${first.field}: ${first.message}`) : [];
}

function parseJson(content: Buffer): unknown {
  try {
    const document: unknown = JSON.parse(content.toString('utf8').replace(/^\uFEFF/, ''));
    return typeof document === 'object' && document !== null ? document : undefined;
  } catch {
    return undefined;
  }
}
