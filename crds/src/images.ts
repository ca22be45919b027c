/**
 * Where images come from. A Pipeline, a setting or the chart names an image plainly, as `seqpanel/pipeline:1.0.0`, or with
 * its registry, as `quay.io/lab/caller:2`. A plain one comes from the registry of the installation, which is put before it
 * when a pod is made: another registry counts for the next pod, and nothing that was applied or frozen names it.
 */

/** Images that a Pipeline may always name begin with it. */
export const SHIPPED_IMAGES = 'seqpanel/';

export interface ImageRules {
  /** host[:port][/path]; empty: the container runtime decides where plain images come from. */
  registry: string;
  /** Beginnings of the images that a Pipeline may name beside the shipped ones, plain or with their registry. */
  prefixes: readonly string[];
}

/** What is before the first slash is a registry where it cannot be the part of a path: as docker and containerd tell it. */
const namesRegistry = (image: string): boolean => /^(localhost|[^/]*[.:A-Z][^/]*)\//.test(image);

/** The image as it is pulled. */
export const imageFrom = (registry: string, image: string): string =>
  registry === '' || namesRegistry(image) ? image : `${registry.replace(/\/+$/, '')}/${image}`;

/** The image without its tag and digest. */
const repositoryOf = (image: string): string => image.replace(/@.*$/, '').replace(/:[^:/]+$/, '');

/** The same image by the digest of one build. */
export const atDigest = (image: string, digest: string): string => `${repositoryOf(image)}@${digest}`;

/** Docker's own registry may be left out of a name. */
const fullName = (image: string): string =>
  namesRegistry(image) ? image : `docker.io/${image.includes('/') ? '' : 'library/'}${image}`;

/**
 * Returns the digest of a container's imageID, or undefined when other nodes cannot pull the image by it: an image that was
 * loaded onto a node has the ID of its configuration, or a digest under another name.
 */
export function digestOf(imageId: string, image: string): string | undefined {
  const [, name, digest] = /^(?:[a-z-]+:\/\/)?(.+)@(sha256:[0-9a-f]{64})$/.exec(imageId) ?? [];
  return name && digest && fullName(name) === fullName(repositoryOf(image)) ? digest : undefined;
}

/** Images are compared as they are pulled, beginnings too: `lab/` lets in `lab/caller:2`, of the installation's registry. */
export const isImageAllowed = ({ registry, prefixes }: ImageRules, image: string): boolean =>
  [SHIPPED_IMAGES, ...prefixes].some((prefix) => imageFrom(registry, image).startsWith(imageFrom(registry, prefix)));
