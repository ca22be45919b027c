import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';

/** A package of the product, shown by /software-list. */
export interface Software {
  name: string;
  version: string;
  license: string;
}

/** A tool that the pipeline runs; `use` is a key of the page's texts. */
export interface PipelineTool extends Software {
  use: string;
}

/** /software.json */
export interface SoftwareList {
  pipeline: PipelineTool[];
  web: Software[];
}

interface LockedPackage {
  version?: string;
  license?: string;
  dev?: boolean;
  link?: boolean;
}

/** Returns the npm packages of the product from the text of the lock file, each name and version once. */
export function listPackages(lock: string): Software[] {
  const { packages } = JSON.parse(lock) as { packages: Record<string, LockedPackage> };
  const found = new Map<string, Software>();
  for (const [path, entry] of Object.entries(packages)) {
    const name = path.split('node_modules/').at(-1);
    if (!path.includes('node_modules/') || !name || entry.dev || entry.link || !entry.version) continue;
    found.set(`${name}@${entry.version}`, { name, version: entry.version, license: entry.license ?? '' });
  }
  return [...found.values()].sort((a, b) => a.name.localeCompare(b.name) || a.version.localeCompare(b.version));
}

/** Returns the tools of pipeline-images/debian-packages.txt, one entry per package. */
export function listTools(debianPackages: string): PipelineTool[] {
  const found = new Map<string, PipelineTool>();
  for (const line of debianPackages.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const [program = '', debianPackage = '', version = '', license = '', use = ''] = line.split('\t');
    const before = found.get(debianPackage);
    if (before) before.name += `, ${program}`;
    else found.set(debianPackage, { name: program, version, license, use });
  }
  return [...found.values()];
}

/** Serves and emits /software.json, generated from the lock file and the list of tools. */
export function softwareList(): Plugin {
  const root = join(import.meta.dirname, '..', '..');
  const list = () => {
    const made: SoftwareList = {
      pipeline: listTools(readFileSync(join(root, 'pipeline-images', 'debian-packages.txt'), 'utf8')),
      web: listPackages(readFileSync(join(root, 'package-lock.json'), 'utf8')),
    };
    return JSON.stringify(made);
  };
  return {
    name: 'software-list',
    configureServer(server) {
      server.middlewares.use('/software.json', (_request, response) => {
        response.setHeader('Content-Type', 'application/json');
        response.end(list());
      });
    },
    generateBundle() {
      this.emitFile({ type: 'asset', fileName: 'software.json', source: list() });
    },
  };
}
