/**
 * Types of the parts of install.mjs that tests use. install.mjs is JavaScript because it runs before anything is
 * installed.
 */
export function debianTools(folder: string): [program: string, debianPackage: string][];
export function missingTools(tools: [string, string][]): [program: string, debianPackage: string][];
