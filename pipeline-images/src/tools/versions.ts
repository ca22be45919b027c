import { execFile } from 'node:child_process';
import { mkdir, readFile, realpath, rename, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter } from 'node:path';

/** Arguments that print a program's version, and the pattern that finds it in the output. */
const QUESTIONS: Readonly<Record<string, { args: string[]; answer: RegExp }>> = {
  minimap2: { args: ['--version'], answer: /(\S+)/ },
  bwa: { args: [], answer: /Version: (\S+)/ },
  samtools: { args: ['--version'], answer: /samtools (\S+)/ },
  bcftools: { args: ['--version'], answer: /bcftools (\S+)/ },
  tabix: { args: ['--version'], answer: /tabix \(htslib\) (\S+)/ },
  bgzip: { args: ['--version'], answer: /bgzip \(htslib\) (\S+)/ },
  freebayes: { args: ['--version'], answer: /v?(\d\S*)/ },
  fastp: { args: ['--version'], answer: /fastp (\S+)/ },
  bedtools: { args: ['--version'], answer: /v(\S+)/ },
  snpEff: { args: ['-version'], answer: /(\d+\.\d+\S*)/ },
};

/** Returns the path of a program on PATH. Throws an Error that names a missing program. */
export async function findTool(name: string): Promise<string> {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    const found = await realpath(`${folder}/${name}`).catch(() => undefined);
    if (found) return found;
  }
  throw new Error(`the program ${name} is not installed`);
}

function ask(name: string): Promise<string> {
  const question = QUESTIONS[name] ?? { args: ['--version'], answer: /(\d+\.\S+)/ };
  return new Promise((done, failed) => {
    // Ignore the exit code: bwa prints its version and exits with 1.
    execFile(name, question.args, { timeout: 60_000 }, (_error, stdout, stderr) => {
      const version = question.answer.exec(`${stdout}\n${stderr}`)?.[1];
      if (version) done(version);
      else failed(new Error(`${name} does not print its version`));
    });
  });
}

/** Cache of versions for all pods of a machine, by file, size and time, because snpEff takes a second to answer. */
const KEPT = `${tmpdir()}/seqpanel-tools-${process.getuid?.() ?? 0}/versions.json`;

/** Returns the versions of programs by name. */
export async function toolVersions(names: readonly string[]): Promise<Record<string, string>> {
  const kept = await readFile(KEPT, 'utf8')
    .then((text) => JSON.parse(text) as Record<string, string>)
    .catch(() => ({}) as Record<string, string>);
  let asked = false;
  const versions = await Promise.all(
    names.map(async (name) => {
      const file = await findTool(name);
      const { size, mtimeMs } = await stat(file);
      const key = `${name} ${file} ${size} ${mtimeMs}`;
      const known = kept[key];
      if (known) return [name, known] as const;
      const version = await ask(name);
      kept[key] = version;
      asked = true;
      return [name, version] as const;
    }),
  );
  if (asked) {
    const half = `${KEPT}.${process.pid}`;
    // Ignore errors: without the cache each pod only asks again.
    await mkdir(half.slice(0, half.lastIndexOf('/')), { recursive: true, mode: 0o700 })
      .then(() => writeFile(half, JSON.stringify(kept)))
      .then(() => rename(half, KEPT))
      .catch(() => undefined);
  }
  return Object.fromEntries(versions);
}
