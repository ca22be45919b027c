import { join } from 'node:path';

/** The used part of rolldown's chunking context. */
interface ModuleGraph {
  getModuleInfo(id: string): { importedIds: readonly string[] } | null;
}

const source = join(import.meta.dirname, '..', 'src');

/**
 * Names a chunk for a source file and everything that it imports statically, at any depth, and for the modules that match
 * `besides`; null for other modules.
 */
export function chunkOf(
  name: string,
  file: string,
  besides?: RegExp,
): (id: string, graph: ModuleGraph) => string | null {
  let modules: ReadonlySet<string> | undefined;
  return (id, graph) => {
    modules ??= staticImports(join(source, file), graph);
    return modules.has(id) || besides?.test(id) ? name : null;
  };
}

/** Returns the ids of a module and of all modules that it imports statically. */
export function staticImports(from: string, graph: ModuleGraph): Set<string> {
  const found = new Set<string>([from]);
  for (const id of found) for (const next of graph.getModuleInfo(id)?.importedIds ?? []) found.add(next);
  return found;
}
