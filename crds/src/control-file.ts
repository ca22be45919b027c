/**
 * The control file of a panel type: tab-separated text in `[section]` parts. Lines may end in CRLF and the file may start
 * with a byte order mark. `#` starts a comment line. The first line of a section names its columns.
 */

import type { Problem } from './problem.ts';

/** Sections and their required columns. Other columns are kept. */
export const CONTROL_SECTIONS = {
  /** Fragment counts of the normals: one row per amplicon, one column per normal. */
  baseline: ['amplicon'],
  /** Error rates: one row per site and ALT base. */
  site_noise: ['chrom', 'pos', 'alt', 'rate'],
  /** Calls that must be found in a control material. */
  expected: ['material', 'chrom', 'pos', 'ref', 'alt'],
  /** Copy-number reference: one row per amplicon. */
  amplicons: ['amplicon', 'copies'],
  /** Expected bisulfite conversion: one row per target. */
  conversion: ['target', 'rate'],
} as const;
export type ControlSection = keyof typeof CONTROL_SECTIONS;

export interface ControlRow {
  /** 1-based line in the file. */
  line: number;
  values: Record<string, string>;
}

export interface ControlFile {
  sections: Partial<Record<ControlSection, { columns: string[]; rows: ControlRow[] }>>;
}

/** A call that must be found in a control material. vaf is a fraction. */
export interface ExpectedCall {
  material: string;
  chrom: string;
  pos: number;
  ref: string;
  alt: string;
  vaf?: number;
}

const isSection = (name: string): name is ControlSection => Object.hasOwn(CONTROL_SECTIONS, name);

/** Parses the text. Skips invalid lines and reports them in `problems`. */
export function parseControlFile(text: string): { control: ControlFile; problems: Problem[] } {
  const control: ControlFile = { sections: {} };
  const problems: Problem[] = [];
  let name = '';
  let section: { columns: string[]; rows: ControlRow[] } | undefined;
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/);
  lines.forEach((raw, index) => {
    const line = index + 1;
    if (raw.trim() === '' || raw.startsWith('#')) return;
    const header = /^\[([^\]]*)\]\s*$/.exec(raw);
    if (header) {
      name = header[1]!.trim();
      section = undefined;
      if (!isSection(name)) {
        problems.push({ path: `line ${line}`, message: `[${name}] is not a section of a control file` });
      } else if (control.sections[name]) {
        problems.push({ path: `line ${line}`, message: `[${name}] occurs twice` });
      } else {
        section = { columns: [], rows: [] };
        control.sections[name] = section;
      }
      return;
    }
    if (!section) {
      if (name === '') problems.push({ path: `line ${line}`, message: 'is before the first [section]' });
      return;
    }
    const cells = raw.split('\t').map((cell) => cell.trim());
    if (section.columns.length === 0) {
      section.columns = cells;
      for (const column of CONTROL_SECTIONS[name as ControlSection]) {
        if (!cells.includes(column))
          problems.push({ path: `[${name}] line ${line}`, message: `lacks the column "${column}"` });
      }
      return;
    }
    if (cells.length !== section.columns.length) {
      const message = `has ${cells.length} columns where the section has ${section.columns.length}`;
      problems.push({ path: `[${name}] line ${line}`, message });
      return;
    }
    section.rows.push({ line, values: Object.fromEntries(section.columns.map((c, i) => [c, cells[i]!])) });
  });
  return { control, problems };
}

/** Returns the [expected] section as numbers. Skips rows with an invalid position, which validatePanel reports. */
export function expectedCalls(control: ControlFile): ExpectedCall[] {
  return (control.sections.expected?.rows ?? []).flatMap(({ values }) => {
    const pos = Number(values['pos']);
    const vaf = Number(values['vaf'] ?? Number.NaN);
    if (!Number.isInteger(pos) || pos < 1) return [];
    return [
      {
        material: values['material'] ?? '',
        chrom: values['chrom'] ?? '',
        pos,
        ref: values['ref'] ?? '',
        alt: values['alt'] ?? '',
        ...(Number.isFinite(vaf) && values['vaf'] !== '' ? { vaf } : {}),
      },
    ];
  });
}
