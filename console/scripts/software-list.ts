import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';

/** One package of the product, as /software-list shows it. */
export interface Software {
  name: string;
  version: string;
  license: string;
}

interface LockedPackage {
  version?: string;
  license?: string;
  dev?: boolean;
  link?: boolean;
}

/** The packages that are delivered with the product, from the lock file; each name and version once. */
export function listSoftware(lockFile: string): Software[] {
  const { packages } = JSON.parse(readFileSync(lockFile, 'utf8')) as { packages: Record<string, LockedPackage> };
  const found = new Map<string, Software>();
  for (const [path, entry] of Object.entries(packages)) {
    const name = path.split('node_modules/').at(-1);
    if (!path.includes('node_modules/') || !name || entry.dev || entry.link || !entry.version) continue;
    found.set(`${name}@${entry.version}`, { name, version: entry.version, license: entry.license ?? '' });
  }
  return [...found.values()].sort((a, b) => a.name.localeCompare(b.name) || a.version.localeCompare(b.version));
}

/** Serves and emits /software.json, made from the lock file of the build. */
export function softwareList(): Plugin {
  const lockFile = join(import.meta.dirname, '..', '..', 'package-lock.json');
  return {
    name: 'software-list',
    configureServer(server) {
      server.middlewares.use('/software.json', (_request, response) => {
        response.setHeader('Content-Type', 'application/json');
        response.end(JSON.stringify(listSoftware(lockFile)));
      });
    },
    generateBundle() {
      this.emitFile({ type: 'asset', fileName: 'software.json', source: JSON.stringify(listSoftware(lockFile)) });
    },
  };
}
