/**
 * Generates src/generated/ from yaml/ with @kubernetes-models/crd-generate: one class and one interface for each kind.
 * Adds the extensions that its relative imports lack, because Node's loader and `nodenext` require them.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = dirname(import.meta.dirname);
const out = process.argv[2] ?? join(root, 'src', 'generated');

function filesBelow(dir: string): string[] {
  return readdirSync(dir).flatMap((name) => {
    const path = join(dir, name);
    return statSync(path).isDirectory() ? filesBelow(path) : [path];
  });
}

function withExtension(file: string, specifier: string): string {
  const target = join(dirname(file), specifier);
  for (const candidate of [`${specifier}.ts`, `${specifier}.js`]) {
    if (existsSync(join(dirname(file), candidate))) return candidate;
  }
  if (existsSync(join(target, 'index.ts'))) return `${specifier}/index.ts`;
  throw new Error(`${file} imports ${specifier}, which crd-generate did not write`);
}

rmSync(out, { recursive: true, force: true });
const inputs = readdirSync(join(root, 'yaml')).flatMap((name) => ['--input', join(root, 'yaml', name)]);
execFileSync('crd-generate', [...inputs, '--output', out], { stdio: 'pipe' }); // npm puts it on the PATH of scripts.

for (const file of filesBelow(out)) {
  const text = readFileSync(file, 'utf8');
  const fixed = text
    .replace(/((?:from|import|export \* from) )"(\.{1,2}\/[^"]+)"/g, (_, lead: string, specifier: string) =>
      /\.(ts|js)$/.test(specifier) ? `${lead}"${specifier}"` : `${lead}"${withExtension(file, specifier)}"`,
    )
    .replace(/^import \{ (IObjectMeta) \}/gm, 'import type { $1 }')
    .replace(/^import \{ Model, ModelData, /gm, 'import { Model, type ModelData, ')
    .replace(/^import \{ ValidateFunc \}/gm, 'import type { ValidateFunc }')
    .replace(/"(@kubernetes-models\/apimachinery\/[^"]+[a-zA-Z])"/g, (whole, path: string) =>
      path.endsWith('.js') ? whole : `"${path}"`,
    );
  writeFileSync(file, fixed);
}
