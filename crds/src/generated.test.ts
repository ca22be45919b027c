import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

/** Reads all files of a folder: text by relative path. */
function filesOf(folder: string, at = folder): Map<string, string> {
  return new Map(
    readdirSync(at).flatMap((name) => {
      const path = join(at, name);
      return statSync(path).isDirectory()
        ? [...filesOf(folder, path)]
        : [[relative(folder, path), readFileSync(path, 'utf8')] as const];
    }),
  );
}

describe('generated classes', () => {
  const fresh = mkdtempSync(join(tmpdir(), 'seqpanel-generated-'));
  afterAll(() => rmSync(fresh, { recursive: true, force: true }));

  test('match the YAML; otherwise run npm run generate -w crds', () => {
    const bin = join(ROOT, '..', 'node_modules', '.bin');
    execFileSync(process.execPath, [join(ROOT, 'scripts', 'generate.ts'), fresh], {
      env: { ...process.env, NODE_OPTIONS: '', PATH: `${bin}:${process.env['PATH']}` },
    });
    const made = filesOf(fresh);
    expect(made.size).toBeGreaterThan(10);
    expect(filesOf(join(ROOT, 'src', 'generated'))).toEqual(made);
  });

  test('check the schema as the API server does', async () => {
    const { AnalysisTask } = await import('./generated/seqpanel.dev/v1alpha1/AnalysisTask.ts');
    const spec = {
      name: 'Run-1',
      group: 'g',
      project: 'p',
      panelType: { name: 'demo', sha256: 'a'.repeat(64) },
      pipeline: { name: 'panel-1.0.0', version: '1.0.0' },
      preset: { name: 'Default', sha256: 'a'.repeat(64) },
      source: 'fq' as const,
      samples: [{ name: 'S1', libraryId: 'S1', files: [{ name: 'S1_R1.fastq.gz' }] }],
    };
    expect(() => new AnalysisTask({ metadata: { name: 'a' }, spec }).validate()).not.toThrow();
    expect(() => new AnalysisTask({ metadata: { name: 'a' }, spec: { ...spec, name: 'a b' } }).validate()).toThrow(
      /name/,
    );
  });
});
