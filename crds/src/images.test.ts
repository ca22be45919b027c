import { atDigest, digestOf, imageFrom, isImageAllowed } from './images.ts';

const MIRROR = 'registry.lab.example/mirror';

test.each([
  ['seqpanel/pipeline:1.0.0', `${MIRROR}/seqpanel/pipeline:1.0.0`],
  ['seqpanel/pipeline@sha256:abc', `${MIRROR}/seqpanel/pipeline@sha256:abc`],
  ['lab/caller:2', `${MIRROR}/lab/caller:2`],
  // The colon of a tag and the dots of a version do not make a registry.
  ['caller:2.1', `${MIRROR}/caller:2.1`],
  ['local/caller:2', `${MIRROR}/local/caller:2`],
])('%s names no registry and is pulled from the registry of the installation', (image, pulled) => {
  expect(imageFrom(MIRROR, image)).toBe(pulled);
  expect(imageFrom(`${MIRROR}/`, image)).toBe(pulled);
  expect(imageFrom('', image)).toBe(image);
});

test.each([
  `${MIRROR}/seqpanel/pipeline:1.0.0`,
  'older.lab.example/seqpanel/pipeline:1.0.0',
  'registry:5000/lab/caller:2',
  'localhost/lab/caller:2',
  '[fd00::1]:5000/lab/caller:2',
  'REGISTRY/lab/caller:2',
])('%s names its registry and is unchanged', (image) => {
  expect(imageFrom(MIRROR, image)).toBe(image);
});

test.each([
  ['seqpanel/pipeline:1.0.0', '', [], true],
  ['seqpanel/pipeline:1.0.0', MIRROR, [], true],
  // As applied by an older release, with the same registry.
  [`${MIRROR}/seqpanel/pipeline:1.0.0`, MIRROR, [], true],
  ['older.lab.example/seqpanel/pipeline:1.0.0', MIRROR, [], false],
  ['older.lab.example/seqpanel/pipeline:1.0.0', MIRROR, ['older.lab.example/seqpanel/'], true],
  ['elsewhere.example/seqpanel/pipeline:1.0.0', '', [], false],
  ['lab/caller:2', MIRROR, [], false],
  ['lab/caller:2', MIRROR, ['lab/'], true],
  [`${MIRROR}/lab/caller:2`, MIRROR, ['lab/'], true],
  ['lab/caller:2', MIRROR, [`${MIRROR}/lab/`], true],
  ['quay.io/lab/caller:2', MIRROR, ['lab/'], false],
  ['quay.io/lab/caller:2', MIRROR, ['quay.io/lab/'], true],
  ['lab/caller:2', '', ['quay.io/lab/'], false],
])(
  '[K8S-13] the image %s with registry "%s" and the prefixes %j is allowed: %s',
  (image, registry, prefixes, allowed) => {
    expect(isImageAllowed({ registry, prefixes }, image)).toBe(allowed);
  },
);

const DIGEST = `sha256:${'a'.repeat(64)}`;

test.each([
  [`docker.io/seqpanel/pipeline@${DIGEST}`, 'seqpanel/pipeline:1.0.0', DIGEST],
  [`docker-pullable://seqpanel/pipeline@${DIGEST}`, 'seqpanel/pipeline:1.0.0', DIGEST],
  [`docker.io/library/caller@${DIGEST}`, 'caller:2', DIGEST],
  [`registry:5000/lab/caller@${DIGEST}`, 'registry:5000/lab/caller:2', DIGEST],
  [`registry:5000/lab/caller@${DIGEST}`, `registry:5000/lab/caller@sha256:${'b'.repeat(64)}`, DIGEST],
  [DIGEST, 'seqpanel/pipeline:1.0.0', undefined],
  [`docker.io/library/import-2026-01-01@${DIGEST}`, 'seqpanel/pipeline:1.0.0', undefined],
  [`quay.io/seqpanel/pipeline@${DIGEST}`, 'seqpanel/pipeline:1.0.0', undefined],
  ['docker.io/seqpanel/pipeline@sha256:short', 'seqpanel/pipeline:1.0.0', undefined],
  ['', 'seqpanel/pipeline:1.0.0', undefined],
])('the imageID "%s" of a pod of %s has the digest %s', (imageId, image, digest) => {
  expect(digestOf(imageId, image)).toBe(digest);
});

test('an image at a digest has no tag', () => {
  expect(atDigest('registry:5000/lab/caller:2', DIGEST)).toBe(`registry:5000/lab/caller@${DIGEST}`);
  expect(atDigest('caller', DIGEST)).toBe(`caller@${DIGEST}`);
});
