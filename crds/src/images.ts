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

/** Images are compared as they are pulled, beginnings too: `lab/` lets in `lab/caller:2`, of the installation's registry. */
export const isImageAllowed = ({ registry, prefixes }: ImageRules, image: string): boolean =>
  [SHIPPED_IMAGES, ...prefixes].some((prefix) => imageFrom(registry, image).startsWith(imageFrom(registry, prefix)));
