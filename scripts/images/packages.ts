/** Resolves the npm packages that a workspace needs at run time from the lock file, like npm does. */

/** The used fields of an entry in `packages` of package-lock.json. Its key is the package's folder. */
export interface LockedPackage {
  version?: string;
  resolved?: string;
  link?: boolean;
  optional?: boolean;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
}

export type Lock = Record<string, LockedPackage>;

export interface NeededPackage {
  /** Folder below the root, such as `node_modules/yaml`. */
  folder: string;
  version: string;
  /** Whether it may be missing because it is built for another platform. */
  optional: boolean;
}

/**
 * Returns the packages that `workspace` and the workspaces it imports need at run time, sorted by folder. Skips the
 * names in `leaveOut` and all type declarations.
 */
export function neededPackages(lock: Lock, workspace: string, leaveOut: readonly string[]): NeededPackage[] {
  const needed = new Map<string, NeededPackage>();
  const seen = new Set<string>();
  const follow = (from: string): void => {
    if (seen.has(from)) return;
    seen.add(from);
    const entry = lock[from];
    if (!entry) throw new Error(`package-lock.json has no entry ${from}: run npm install.`);
    for (const [name, required] of dependencies(entry)) {
      if (leaveOut.includes(name) || name.startsWith('@types/')) continue;
      const folder = resolve(lock, from, name);
      if (folder === undefined) {
        if (required) throw new Error(`package-lock.json lacks ${name}, which ${from} needs: run npm install.`);
        continue;
      }
      const found = lock[folder]!;
      if (found.link) {
        follow(found.resolved!);
        continue;
      }
      needed.set(folder, { folder, version: found.version!, optional: found.optional ?? false });
      follow(folder);
    }
  };
  follow(workspace);
  return [...needed.values()].sort((a, b) => (a.folder < b.folder ? -1 : 1));
}

function dependencies(entry: LockedPackage): [name: string, required: boolean][] {
  const peers = Object.keys(entry.peerDependencies ?? {}).filter(
    (name) => !entry.peerDependenciesMeta?.[name]?.optional,
  );
  return [
    ...Object.keys(entry.dependencies ?? {}).map((name): [string, boolean] => [name, true]),
    ...Object.keys(entry.optionalDependencies ?? {}).map((name): [string, boolean] => [name, false]),
    ...peers.map((name): [string, boolean] => [name, false]),
  ];
}

/** Returns the folder from which Node loads `name` in a module of `from`: the nearest node_modules upwards. */
function resolve(lock: Lock, from: string, name: string): string | undefined {
  for (let folder = from; ; ) {
    const candidate = `${folder}${folder && '/'}node_modules/${name}`;
    if (lock[candidate]) return candidate;
    if (folder === '') return undefined;
    const above = folder.lastIndexOf('node_modules/');
    folder = above < 0 ? '' : folder.slice(0, above).replace(/\/$/, '');
  }
}
