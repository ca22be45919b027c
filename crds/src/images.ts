/**
 * Resolves image names. A Pipeline, a setting or the chart names an image without registry (`seqpanel/pipeline:1.0.0`) or
 * with one (`quay.io/lab/caller:2`). An image without registry comes from the registry of the installation, which is added
 * when a pod is created. So a new registry applies to the next pod, and nothing applied or frozen contains the old one.
 */

/** Prefix of the images that every Pipeline may use. */
export const SHIPPED_IMAGES = 'seqpanel/';

export interface ImageRules {
  /** host[:port][/path]. Empty: the container runtime decides. */
  registry: string;
  /** Prefixes of further images that a Pipeline may use, with or without registry. */
  prefixes: readonly string[];
}

/** Recognizes a registry before the first slash by the rules of docker and containerd. */
const namesRegistry = (image: string): boolean => /^(localhost|[^/]*[.:A-Z][^/]*)\//.test(image);

/** Returns the image name to pull. */
export const imageFrom = (registry: string, image: string): string =>
  registry === '' || namesRegistry(image) ? image : `${registry.replace(/\/+$/, '')}/${image}`;

/** Returns the image without tag and digest. */
const repositoryOf = (image: string): string => image.replace(/@.*$/, '').replace(/:[^:/]+$/, '');

/** Returns the image at the digest of one build. */
export const atDigest = (image: string, digest: string): string => `${repositoryOf(image)}@${digest}`;

/** Removes docker's own registry, which a name may omit. */
const fullName = (image: string): string =>
  namesRegistry(image) ? image : `docker.io/${image.includes('/') ? '' : 'library/'}${image}`;

/**
 * Returns the digest of a container's imageID, or undefined when other nodes cannot pull the image by it. An image loaded
 * onto a node has the ID of its configuration, or a digest under another name.
 */
export function digestOf(imageId: string, image: string): string | undefined {
  const [, name, digest] = /^(?:[a-z-]+:\/\/)?(.+)@(sha256:[0-9a-f]{64})$/.exec(imageId) ?? [];
  return name && digest && fullName(name) === fullName(repositoryOf(image)) ? digest : undefined;
}

/** Compares images and prefixes with their registry: `lab/` allows `lab/caller:2` of the installation's registry. */
export const isImageAllowed = ({ registry, prefixes }: ImageRules, image: string): boolean =>
  [SHIPPED_IMAGES, ...prefixes].some((prefix) => imageFrom(registry, image).startsWith(imageFrom(registry, prefix)));
