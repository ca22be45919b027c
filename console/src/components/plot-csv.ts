/** The data of a plot as a CSV file. Pure. */

export type Cell = string | number | null;

/** Matches a text that a spreadsheet would read as a formula. */
const FORMULA = /^[=+\-@]/;

function field(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const text = FORMULA.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The caption as lines that begin with #, the columns' names, the rows. Marked as UTF-8, which spreadsheets ask for. */
export function csvOf(
  caption: readonly string[],
  columns: readonly string[],
  rows: readonly (readonly Cell[])[],
): string {
  const lines = [columns, ...rows].map((row) => row.map(field).join(','));
  return `\u{FEFF}${[...caption.map((line) => `# ${line}`), ...lines].join('\r\n')}\r\n`;
}
