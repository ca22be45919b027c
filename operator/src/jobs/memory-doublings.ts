/** Upper limit of the setting: 1 GiB becomes 256 GiB. */
export const MEMORY_DOUBLINGS_MAX = 8;
