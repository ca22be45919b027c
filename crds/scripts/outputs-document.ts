import { CALL_FILTERS, CALL_FORMAT, CALL_INFO } from '../src/outputs/call.ts';
import { STEP_FILES } from '../src/outputs/catalogue.ts';
import { QC_METRICS } from '../src/outputs/qc.ts';
import { READS_METRICS } from '../src/outputs/reads.ts';

const cell = (text: string): string => text.replaceAll('|', '\\|');
const rows = (head: string, lines: readonly (readonly string[])[]): string =>
  `| ${head} |\n|${head
    .split('|')
    .map(() => '---')
    .join('|')}|\n${lines.map((line) => `| ${line.map(cell).join(' | ')} |`).join('\n')}\n`;

/** Returns the text of docs/outputs.md. */
export function outputsDocument(): string {
  const parts = [
    '# Outputs of a task',
    '',
    '<!-- Made by `npm run docs -w crds` from crds/src/outputs; do not edit. -->',
    '',
    "Paths are below the task's output folder. `S` is a sample name, `K` an allele key. Counts are fragments:",
    'overlapping mates count once. Positions are 1-based except in BED files. `.` means "no value". Find columns by',
    'name: new ones may be added; `schema_version` is raised if one changes its meaning. Every step also writes',
    '`result.json`: its outputs with SHA-256, programs with versions and command lines, warnings.',
    '',
  ];
  for (const { step, folder, files } of STEP_FILES) {
    parts.push(`## ${step}: \`${folder}/\``, '');
    parts.push(
      rows(
        'file | contents',
        files.map((f) => [`\`${f.file}\``, f.meaning]),
      ),
    );
    for (const { file, table } of files) {
      if (!table) continue;
      parts.push(
        `### ${file}`,
        '',
        rows(
          'column | meaning',
          table.columns.map(([name, meaning]) => [`\`${name}\``, meaning]),
        ),
      );
    }
    if (step === 'reads')
      parts.push(
        '### metrics.json',
        '',
        rows(
          'metric | meaning',
          Object.entries(READS_METRICS).map(([k, v]) => [`\`${k}\``, v]),
        ),
      );
    if (step === 'qc')
      parts.push(
        '### Metrics added by qc',
        '',
        rows(
          'metric | meaning',
          Object.entries(QC_METRICS).map(([k, v]) => [`\`${k}\``, v]),
        ),
      );
    if (step === 'call') {
      const fields = (all: Readonly<Record<string, readonly [string, string, string]>>): string[][] =>
        Object.entries(all).map(([id, [number, type, text]]) => [`\`${id}\``, `${type}, ${number}`, text]);
      parts.push(
        '### calls.vcf.gz: FILTER',
        '',
        rows(
          'reason | meaning',
          Object.entries(CALL_FILTERS).map(([k, v]) => [`\`${k}\``, v]),
        ),
      );
      parts.push('### calls.vcf.gz: INFO', '', rows('field | type, number | meaning', fields(CALL_INFO)));
      parts.push('### calls.vcf.gz: FORMAT', '', rows('field | type, number | meaning', fields(CALL_FORMAT)));
    }
  }
  return `${parts.join('\n').trimEnd()}\n`;
}
