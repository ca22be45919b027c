import { join } from 'node:path';

/** The used part of rolldown's chunking context. */
interface ModuleGraph {
  getModuleInfo(id: string): { importedIds: readonly string[] } | null;
}

const main = join(import.meta.dirname, '..', 'src', 'main.tsx');
let entry: ReadonlySet<string> | undefined;

/** Returns the chunk name of a module that main.tsx imports statically, at any depth. Null for any other module. */
export function entryGroup(id: string, graph: ModuleGraph): string | null {
  entry ??= staticImports(main, graph);
  return id !== main && entry.has(id) ? 'base' : null;
}

/** Returns the ids of a module and of all modules that it imports statically. */
export function staticImports(from: string, graph: ModuleGraph): Set<string> {
  const found = new Set<string>([from]);
  for (const id of found) for (const next of graph.getModuleInfo(id)?.importedIds ?? []) found.add(next);
  return found;
}
