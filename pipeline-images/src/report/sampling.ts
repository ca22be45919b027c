/** Chooses the fragments of a slice, the same ones in any order. Pure. */

/** Maps a read's name to 0..1 by FNV-1a, mixed once more so that consecutive names spread. */
export function shareOf(name: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 4294967296;
}

/** Returns the `limit` names with the smallest values, or all when there are fewer. */
export function sampleNames(names: Iterable<string>, limit: number): string[] {
  const ranked = [...names].map((name) => ({ name, share: shareOf(name) }));
  ranked.sort((a, b) => a.share - b.share || (a.name < b.name ? -1 : 1));
  return ranked.slice(0, limit).map(({ name }) => name);
}
