/** Description of a tab-separated output: its columns with their meaning, in order. docs/outputs.md is generated from it. */
export interface OutputTable {
  /** Path in the step's folder. */
  file: string;
  meaning: string;
  /** Increase when a column changes its meaning. Adding a column does not count, because readers find columns by name. */
  schemaVersion: number;
  columns: readonly (readonly [name: string, meaning: string])[];
}

/** Returns the names of a table's columns in the order of the header line. */
export const columnNames = (table: OutputTable): string[] => table.columns.map(([name]) => name);

/** "No value" in every table. */
export const NO_VALUE = '.';
