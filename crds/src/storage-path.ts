/** The rule for paths below the storage root, which api and steps share: plain names, joined by single slashes. */

/** Whether a file system reads the text as one name inside a folder, and as nothing else. */
export const isPlainName = (name: string): boolean =>
  name !== '' && name !== '.' && name !== '..' && !/[/\\]/.test(name) && !name.includes('\0');

/** Whether every part of a relative path is a plain name. Absolute paths, `a//b` and a slash at the end are not. */
export const isPlainPath = (path: string): boolean => path.split('/').every(isPlainName);
