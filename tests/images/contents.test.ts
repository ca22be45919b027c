/** Tests the pure parts of the content of images, their software lists and the console's list. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { listPackages, listTools } from '../../console/scripts/software-list.ts';
import { archivePath, sizeInCache } from '../../scripts/images/build.ts';
import { IMAGES, imagesNamed } from '../../scripts/images/catalogue.ts';
import { debianLicences, npmLicence } from '../../scripts/images/licences.ts';
import { type Lock, neededPackages } from '../../scripts/images/packages.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

describe('packages of a workspace', () => {
  const lock: Lock = {
    api: { dependencies: { web: '1', '@seqpanel/crds': '0' } },
    crds: { dependencies: { schema: '2' } },
    'node_modules/@seqpanel/crds': { link: true, resolved: 'crds' },
    'node_modules/schema': { version: '1.0.0' },
    'crds/node_modules/schema': { version: '2.0.0', dependencies: { uri: '1' } },
    'node_modules/uri': { version: '1.0.0' },
    'node_modules/web': {
      version: '1.0.0',
      dependencies: { uri: '2', '@types/node': '1' },
      optionalDependencies: { fast: '1', absent: '1' },
      peerDependencies: { peer: '1', tool: '1' },
      peerDependenciesMeta: { tool: { optional: true } },
    },
    'node_modules/web/node_modules/uri': { version: '2.0.0' },
    'node_modules/fast': { version: '1.0.0', optional: true },
    'node_modules/peer': { version: '1.0.0' },
    'node_modules/tool': { version: '1.0.0' },
    'node_modules/test-runner': { version: '1.0.0' },
  };

  test('are those that Node finds from it and the workspaces it imports: the nearest of several versions, no types, no tools', () => {
    expect(neededPackages(lock, 'api', []).map(({ folder }) => folder)).toEqual([
      'crds/node_modules/schema',
      'node_modules/fast',
      'node_modules/peer',
      'node_modules/uri',
      'node_modules/web',
      'node_modules/web/node_modules/uri',
    ]);
  });

  test('omitting a package also omits packages that only it needs', () => {
    expect(neededPackages(lock, 'api', ['web']).map(({ folder }) => folder)).toEqual([
      'crds/node_modules/schema',
      'node_modules/uri',
    ]);
  });

  test('a package missing in the lock file is reported with the package that needs it', () => {
    const { 'node_modules/uri': _, ...without } = lock;
    expect(() => neededPackages(without, 'crds', [])).toThrow('lacks uri, which crds/node_modules/schema needs');
  });
});

test('an unknown image name is rejected with the list of images', () => {
  expect(imagesNamed([])).toEqual(IMAGES);
  expect(imagesNamed(['pipeline']).map(({ tag }) => tag)).toEqual(['seqpanel/pipeline:1.0.0']);
  expect(() => imagesNamed(['pipelines'])).toThrow(
    'Unknown image pipelines. Images: api, operator, pipeline, postgres.',
  );
});

test('an archive of the same content with another tag does not count, because its image would be loaded with the old name', () => {
  const cache = mkdtempSync(join(tmpdir(), 'seqpanel-archives-'));
  try {
    const image = imagesNamed(['postgres'])[0]!;
    const wanted = { image, files: [], hash: 'same' };
    const record = archivePath(cache, wanted).replace(/tar$/, 'json');
    mkdirSync(dirname(record));
    writeFileSync(record, JSON.stringify({ tag: image.tag, size: 7 }));
    expect(sizeInCache(cache, wanted)).toBe(7);
    expect(sizeInCache(cache, { ...wanted, image: { ...image, tag: 'seqpanel/postgres:another' } })).toBeUndefined();
  } finally {
    rmSync(cache, { recursive: true });
  }
});

test('licences are read from machine-readable copyright files, own files first, or from the referenced texts', () => {
  const dep5 = [
    'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/',
    'Files: debian/*\nLicense: GPL-2+',
    'Files: *\nCopyright: 2008 Someone\nLicense: Expat',
    'Files: lib/*\nLicense: Expat',
    'License: GPL-2+\n a text',
  ].join('\n\n');
  expect(debianLicences(dep5)).toEqual(['MIT', 'GPL-2+']);
  expect(debianLicences('see /usr/share/common-licenses/LGPL-2.1.\nand `/usr/share/common-licenses/GPL-2`')).toEqual([
    'LGPL-2.1',
    'GPL-2',
  ]);
  expect(debianLicences('It may be used freely.')).toEqual([]);
  expect(npmLicence({ license: '(MIT OR Apache-2.0)' })).toBe('(MIT OR Apache-2.0)');
  expect(npmLicence({ licenses: [{ type: 'MIT' }, { type: 'BSD' }] })).toBe('MIT OR BSD');
  expect(npmLicence({})).toBeUndefined();
});

test('the software list has every tool with version, licence and a use in both languages, and no development package', () => {
  const tools = listTools(read('pipeline-images/debian-packages.txt'));
  expect(tools.find(({ name }) => name === 'tabix, bgzip')).toMatchObject({ license: 'MIT' });
  for (const language of ['en', 'zh']) {
    const { uses } = JSON.parse(read(`console/src/locales/${language}/software.json`)) as { uses: object };
    expect(Object.keys(uses)).toEqual(expect.arrayContaining(tools.map(({ use }) => use)));
  }
  for (const { version, license } of tools)
    expect([version, license]).toEqual([expect.stringMatching(/^\d/), expect.stringMatching(/^[A-Z]/)]);
  const packages = listPackages(read('package-lock.json')).map(({ name }) => name);
  expect(packages).toEqual(expect.arrayContaining(['express', 'react', 'igv']));
  expect(packages).not.toContain('jest');
});
