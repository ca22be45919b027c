/** The last known state of watched objects, with indexes. */

/** Returns the keys of an object in an index, possibly none. */
export type IndexFunction<S> = (object: S) => readonly string[];

export class Store<S> {
  readonly #objects = new Map<string, S>();
  readonly #functions: Record<string, IndexFunction<S>>;
  readonly #indexes = new Map<string, Map<string, Set<string>>>();

  constructor(indexes: Record<string, IndexFunction<S>> = {}) {
    this.#functions = indexes;
    for (const name of Object.keys(indexes)) this.#indexes.set(name, new Map());
  }

  get size(): number {
    return this.#objects.size;
  }

  /** By `namespace/name`, or `name` if cluster-scoped. */
  get(key: string): S | undefined {
    return this.#objects.get(key);
  }

  list(): S[] {
    return [...this.#objects.values()];
  }

  keys(): string[] {
    return [...this.#objects.keys()];
  }

  /** Returns all objects under `value` in an index. Throws when the index does not exist. */
  byIndex(index: string, value: string): S[] {
    const keys = this.#indexOf(index).get(value);
    return keys ? [...keys].flatMap((key) => this.#objects.get(key) ?? []) : [];
  }

  set(key: string, object: S): void {
    this.delete(key);
    this.#objects.set(key, object);
    for (const [name, values] of Object.entries(this.#functions)) {
      const index = this.#indexOf(name);
      for (const value of values(object)) {
        const keys = index.get(value);
        if (keys) keys.add(key);
        else index.set(value, new Set([key]));
      }
    }
  }

  delete(key: string): void {
    const object = this.#objects.get(key);
    if (object === undefined) return;
    this.#objects.delete(key);
    for (const [name, values] of Object.entries(this.#functions)) {
      const index = this.#indexOf(name);
      for (const value of values(object)) {
        const keys = index.get(value);
        keys?.delete(key);
        if (keys?.size === 0) index.delete(value);
      }
    }
  }

  #indexOf(name: string): Map<string, Set<string>> {
    const index = this.#indexes.get(name);
    if (!index) throw new Error(`the store has no index "${name}"`);
    return index;
  }
}
