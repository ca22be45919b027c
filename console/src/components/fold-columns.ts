/** Folds less important columns under others where a list is too narrow for all. Pure. */

export interface Foldable {
  key: string;
  /** Folds under the column `into` while the list is narrower than `below` px. */
  folds?: { into: string; below: number };
}

/**
 * Width of a list in a window of 768 px. In a narrower window PatternFly shows each cell on its own line with its
 * title.
 */
const STACKED = 672;

/** Returns the columns to show, each with those folded under it. A column whose target is hidden stays a column. */
export function foldColumns<C extends Foldable>(columns: readonly C[], width: number): { column: C; under: C[] }[] {
  const tooWide = ({ folds }: C) => folds !== undefined && width < folds.below && width >= STACKED;
  const places = new Set(columns.filter((column) => !tooWide(column)).map(({ key }) => key));
  const isUnder = (column: C) => tooWide(column) && places.has(column.folds?.into ?? '');
  return columns
    .filter((column) => !isUnder(column))
    .map((column) => ({
      column,
      under: columns.filter((other) => isUnder(other) && other.folds?.into === column.key),
    }));
}
