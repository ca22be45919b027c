/** Rule for paths below the storage root, shared by api and steps: plain names joined by single slashes. */

/** Reports whether a file system treats the text as one name in a folder. */
export const isPlainName = (name: string): boolean =>
  name !== '' && name !== '.' && name !== '..' && !/[/\\]/.test(name) && !name.includes('\0');

/** Reports whether every part of a relative path is a plain name. False for absolute paths, `a//b` and a trailing slash. */
export const isPlainPath = (path: string): boolean => path.split('/').every(isPlainName);
