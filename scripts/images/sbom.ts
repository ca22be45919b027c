/**
 * Runs inside a build, on the image's file system: `node sbom.ts NAME VERSION [APP]` prints the packages below / and
 * below APP (/app) as CycloneDX 1.6 JSON. Imports only Node modules and licences.ts.
 */

import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { debianLicences, npmLicence } from './licences.ts';

interface Component {
  type: 'library' | 'application';
  'bom-ref': string;
  name: string;
  version: string;
  purl?: string;
  licenses?: { license: { name: string } }[];
}

const [name = '', version = '', app = '/app'] = process.argv.slice(2);
const components = [
  ...debianPackages(),
  ...nodeItself(),
  ...npmPackages(app),
  ...bundledLibraries(join(app, 'native')),
];
const bom = {
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  version: 1,
  metadata: { component: { type: 'container', 'bom-ref': 'image', name, version } },
  components: [...new Map(components.map((component) => [component['bom-ref'], component])).values()].sort((a, b) =>
    a['bom-ref'] < b['bom-ref'] ? -1 : 1,
  ),
};
process.stdout.write(`${JSON.stringify(bom, null, 1)}\n`);

function component(
  type: Component['type'],
  purl: string,
  title: string,
  release: string,
  licences: string[],
): Component {
  const named = licences.map((licence) => ({ license: { name: licence } }));
  return {
    type,
    'bom-ref': purl,
    name: title,
    version: release,
    ...(purl.startsWith('pkg:') ? { purl } : {}),
    ...(named.length > 0 ? { licenses: named } : {}),
  };
}

function debianPackages(): Component[] {
  const release = /^VERSION_ID="?(\d+)/m.exec(read('/etc/os-release'))?.[1] ?? '';
  return read('/var/lib/dpkg/status')
    .split('\n\n')
    .filter((paragraph) => /^Status: install ok installed$/m.test(paragraph))
    .map((paragraph) => {
      const field = (key: string) => new RegExp(`^${key}: (.*)$`, 'm').exec(paragraph)?.[1] ?? '';
      const [title, debVersion, arch] = [field('Package'), field('Version'), field('Architecture')];
      const purl = `pkg:deb/debian/${title}@${encodeURIComponent(debVersion)}?arch=${arch}&distro=debian-${release}`;
      return component('library', purl, title, debVersion, debianLicences(read(`/usr/share/doc/${title}/copyright`)));
    });
}

function nodeItself(): Component[] {
  // An image without Node has it only during the build, for this program.
  if (process.execPath !== '/usr/local/bin/node') return [];
  const release = process.versions.node;
  return [component('application', `pkg:generic/node@${release}`, 'node', release, ['MIT'])];
}

/** Lists every package of every node_modules below `folder`, and the package in `folder` itself. */
function npmPackages(folder: string): Component[] {
  if (!existsSync(folder)) return [];
  const manifests = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
    /(^|\/)node_modules\/(@[^/]+\/)?[^/@]+\/package\.json$/.test(path),
  );
  return ['package.json', ...manifests].flatMap((path) => npmPackage(join(folder, dirname(path))));
}

function npmPackage(folder: string): Component[] {
  const file = join(folder, 'package.json');
  if (!existsSync(file)) return [];
  const manifest = JSON.parse(readFileSync(file, 'utf8'));
  if (!manifest.name || !manifest.version || manifest.name.startsWith('@seqpanel/')) return [];
  const licence = npmLicence(manifest);
  const purl = `pkg:npm/${manifest.name.replace('@', '%40')}@${manifest.version}`;
  return [component('library', purl, manifest.name, manifest.version, licence ? [licence] : [])];
}

/** Libraries bundled with a program, recognized by file names such as `libicuuc.so.60.2`. */
function bundledLibraries(folder: string): Component[] {
  const lib = join(folder, 'lib');
  if (!existsSync(lib)) return [];
  return readdirSync(lib)
    .filter((file) => /\.so\.\d/.test(file) && !lstatSync(join(lib, file)).isSymbolicLink())
    .map((file) => {
      const [title, release] = file.split('.so.') as [string, string];
      return component('library', `file:native/lib/${file}`, title, release, []);
    });
}

function read(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}
