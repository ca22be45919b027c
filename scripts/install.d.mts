/** Types of what tests take from install.mjs, which is JavaScript because it runs before there is anything else. */
export function debianTools(folder: string): [program: string, debianPackage: string][];
export function missingTools(tools: [string, string][]): [program: string, debianPackage: string][];
