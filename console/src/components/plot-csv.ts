/** Formats the data of a plot as a CSV file. Pure. */

export type Cell = string | number | null;

/** Matches a text that a spreadsheet would read as a formula. */
const FORMULA = /^[=+\-@]/;

function field(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const text = FORMULA.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * Returns the caption as lines that begin with #, the column names and the rows. Starts with a byte order mark, by
 * which spreadsheets recognize UTF-8.
 */
export function csvOf(
  caption: readonly string[],
  columns: readonly string[],
  rows: readonly (readonly Cell[])[],
): string {
  const lines = [columns, ...rows].map((row) => row.map(field).join(','));
  return `\u{FEFF}${[...caption.map((line) => `# ${line}`), ...lines].join('\r\n')}\r\n`;
}
