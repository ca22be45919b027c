/** Reads licence names that packages state in machine-readable form. */

/** Debian's short names that differ from SPDX. */
const SPDX: Record<string, string> = { Expat: 'MIT', 'BSD-3-clause': 'BSD-3-Clause', 'BSD-2-clause': 'BSD-2-Clause' };

/**
 * Returns the licences in a Debian copyright file, each once: that of the package's own files first, then those of
 * parts. Reads the machine-readable format (DEP-5). For other files returns the texts of /usr/share/common-licenses
 * that they refer to. Empty when there are none.
 */
export function debianLicences(copyright: string): string[] {
  const names = /^Format(-Specification)?:/im.test(copyright)
    ? dep5Licences(copyright)
    : [...copyright.matchAll(/\/usr\/share\/common-licenses\/([A-Za-z0-9.+-]*[A-Za-z0-9])/g)].map(([, name]) => name!);
  return [...new Set(names.map((name) => SPDX[name] ?? name))];
}

function dep5Licences(copyright: string): string[] {
  const stanzas = copyright.split(/\n\s*\n/).filter((stanza) => /^Files:/m.test(stanza));
  const own = stanzas.filter((stanza) => /^Files:\s*\*\s*$/m.test(stanza));
  const ordered = [...own, ...stanzas.filter((stanza) => !own.includes(stanza))];
  return ordered.flatMap((stanza) => {
    const name = /^License:[ \t]*(.+)$/m.exec(stanza)?.[1]?.trim();
    return name ? [name] : [];
  });
}

/** Returns the licence in an npm package's manifest, usually an SPDX expression. Undefined when it has none. */
export function npmLicence(manifest: {
  license?: string | { type?: string };
  licenses?: { type?: string }[];
}): string | undefined {
  const { license, licenses } = manifest;
  if (typeof license === 'string') return license;
  const types = [license, ...(licenses ?? [])].flatMap((entry) => entry?.type ?? []);
  return types.length > 0 ? types.join(' OR ') : undefined;
}
