/** How a tab-separated output is described: its columns in order, each with what it says. docs/outputs.md is made of these. */
export interface OutputTable {
  /** Path below the step's folder. */
  file: string;
  meaning: string;
  /** Raised when a column changes its meaning. Columns are found by name, so an added one does not raise it. */
  schemaVersion: number;
  columns: readonly (readonly [name: string, meaning: string])[];
}

/** The names of a table's columns, in the order of the file's header line. */
export const columnNames = (table: OutputTable): string[] => table.columns.map(([name]) => name);

/** Stands for "no value" in every table. */
export const NO_VALUE = '.';
