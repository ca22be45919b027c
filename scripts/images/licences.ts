/** Licence names as far as packages state them in a form that a program can read. */

/** Debian's short names where SPDX has another. */
const SPDX: Record<string, string> = { Expat: 'MIT', 'BSD-3-clause': 'BSD-3-Clause', 'BSD-2-clause': 'BSD-2-Clause' };

/**
 * The licences that a Debian copyright file names, each once: that of the package's own files first, then those of
 * parts. Files in the machine-readable format (DEP-5) state them; of others, the texts of
 * /usr/share/common-licenses that they refer to are listed; empty when neither exists.
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

/** The licence of an npm package's manifest, an SPDX expression as a rule; undefined when it states none. */
export function npmLicence(manifest: {
  license?: string | { type?: string };
  licenses?: { type?: string }[];
}): string | undefined {
  const { license, licenses } = manifest;
  if (typeof license === 'string') return license;
  const types = [license, ...(licenses ?? [])].flatMap((entry) => entry?.type ?? []);
  return types.length > 0 ? types.join(' OR ') : undefined;
}
