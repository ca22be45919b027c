/** Most doublings that the setting may ask for: 1 GiB becomes 256. */
export const MEMORY_DOUBLINGS_MAX = 8;
