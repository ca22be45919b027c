import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { defaultPreset } from '@seqpanel/crds/preset-default.ts';
import { smallPanel } from '../support/called-task.ts';
import { makeTwin } from '../support/hgvs-twin.ts';
import { startStep } from '../support/pipeline-task.ts';

const twin = makeTwin();
let storage: string;
beforeAll(async () => {
  storage = await mkdtemp(join(tmpdir(), 'seqpanel-checks-'));
  await mkdir(`${storage}/incoming`);
});
afterAll(() => rm(storage, { recursive: true, force: true }));

const put = (name: string, content: string | Buffer): Promise<void> =>
  writeFile(`${storage}/incoming/${name}`, content);
const leftovers = async (): Promise<string[]> =>
  (
    await Promise.all(
      ['references', 'annotation'].map((dir) => readdir(`${storage}/${dir}`).catch(() => [] as string[])),
    )
  )
    .flat()
    .filter((name) => name.startsWith('.'));

describe('installing a genome', () => {
  const install = async (spec: object) => {
    await writeFile(`${storage}/genome.json`, JSON.stringify({ name: 'x', spec }));
    return startStep(storage, ['install-genome', '--spec', `${storage}/genome.json`]).end;
  };

  test('from a bgzip or gzip FASTA reports contigs with md5 and indexes, and does nothing the second time', async () => {
    await put('twin.fa.gz', gzipSync(twin.fasta.toLowerCase()));
    await put('twin.gff3', twin.gff);
    const spec = {
      displayName: 'Twin',
      value: 'twin',
      source: { path: 'incoming/twin.fa.gz' },
      annotation: [{ name: 'genes', kind: 'genes', version: '1', source: { path: 'incoming/twin.gff3' } }],
    };
    const first = await install(spec);
    expect(first.exit).toBe(0);
    const md5 = createHash('md5').update(twin.contigs[0]!.bases).digest('hex');
    const { genome } = first.message as unknown as { genome: { contigs: unknown[][]; indexes: { tool: string }[] } };
    expect(genome.contigs[0]).toEqual(['twin1', 12_000, md5]);
    expect(genome.indexes.map((index) => index.tool)).toEqual(['minimap2']);
    const second = await install({ ...spec, displayName: 'Renamed' });
    expect(second.output).toContain('references/twin: already installed');
    expect(second.output).not.toContain('minimap2');
    expect(JSON.parse(await readFile(`${storage}/references/twin/genome.json`, 'utf8')).displayName).toBe('Renamed');
  });

  test.each([
    [
      'cut.fa.gz',
      gzipSync(twin.fasta).subarray(0, 2000),
      'cut.fa.gz: truncated or damaged gzip file. Upload it again.',
    ],
    ['empty.fa', '', 'empty.fa: empty file (0 bytes)'],
    ['reads.fq', '@r\nACGT\n', 'reads.fq, line 1: is not FASTA: it does not start with ">"'],
    ['ragged.fa', '>a\nACGT\nAC\nACGT\n', 'ragged.fa: samtools failed with exit code'],
  ])('%s is refused with exit 2 and leaves nothing', async (name, content, message) => {
    await put(name, content);
    const { exit, message: said } = await install({ value: 'bad', source: { path: `incoming/${name}` } });
    expect([exit, said.outcome]).toEqual([2, 'bad_input']);
    expect(said.message).toContain(`incoming/${message}`);
    expect((await readdir(`${storage}/references`)).filter((dir) => dir.includes('bad'))).toEqual([]);
    expect(await leftovers()).toEqual([]);
  });

  test('a truncated gzip of gene models or known variants is rejected, and the reference is kept', async () => {
    await put('cut.gff3.gz', gzipSync(twin.gff).subarray(0, 80));
    await put(
      'cut.vcf.gz',
      gzipSync('##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n').subarray(0, 40),
    );
    for (const [kind, file] of [
      ['genes', 'cut.gff3.gz'],
      ['dbsnp', 'cut.vcf.gz'],
    ] as const) {
      const source = { name: 'broken', kind, version: '1', source: { path: `incoming/${file}` } };
      const { exit, message } = await install({
        value: 'twin',
        source: { path: 'incoming/twin.fa.gz' },
        annotation: [source],
      });
      expect([exit, message.message]).toEqual([
        2,
        `incoming/${file}: truncated or damaged gzip file. Upload it again.`,
      ]);
    }
    expect(await readdir(`${storage}/references`)).toEqual(['twin']);
    expect(await leftovers()).toEqual([]);
  });

  test('a path outside the storage, a wrong hash and a host that is not allowed are rejected', async () => {
    await put('twin.fa', twin.fasta);
    const says = async (source: object): Promise<string | undefined> =>
      (await install({ value: 'bad', source })).message.message;
    expect(await says({ path: '../etc/passwd' })).toContain('must be below incoming/ or references/');
    expect(await says({ path: 'projects/g/p/x.fa' })).toContain('must be below incoming/ or references/');
    expect(await says({ path: 'incoming/twin.fa', sha256: '0'.repeat(64) })).toContain('has SHA-256');
    expect(await says({ url: 'https://example.org/x.fa', sha256: '0'.repeat(64) })).toContain(
      'the host example.org is not allowed',
    );
  });
});

describe('checking a panel type', () => {
  const check = async (panel: object | string, control?: string, parameters?: string) => {
    const text = typeof panel === 'string' ? panel : JSON.stringify(panel);
    const reference = async (name: string, content: string) => {
      await put(name, content);
      return { path: `incoming/${name}`, sha256: createHash('sha256').update(content).digest('hex') };
    };
    const files = {
      panel: await reference('small.json', text),
      ...(control === undefined ? {} : { control: await reference('small.txt', control) }),
      ...(parameters === undefined ? {} : { parameters: [await reference('strict.json', parameters)] }),
    };
    await writeFile(
      `${storage}/panel-type.json`,
      JSON.stringify({ name: 'small', spec: { value: 'small', genome: 'twin', files } }),
    );
    return startStep(storage, ['check-panel', '--spec', `${storage}/panel-type.json`]).end;
  };

  test('whose files parse and agree with the genome succeeds', async () => {
    const panel = smallPanel(storage, 'twin', { control: 'small.txt' });
    expect((await check(panel, '[amplicons]\namplicon\tcopies\na1\t2\n')).message).toEqual({ outcome: 'done' });
  });

  test('[PANEL-15] with an amplicon outside the genome is rejected with file, path and problem', async () => {
    const panel = smallPanel(storage, 'twin');
    const [amplicon] = panel.amplicons;
    const far = { ...amplicon!, start: 20_000, end: 20_100, insert: { start: 20_000, end: 20_100 } };
    const { exit, message } = await check({ ...panel, amplicons: [far, { ...far, name: 'a2' }] });
    expect(exit).toBe(2);
    expect(message.message).toContain(
      'small.json: amplicons[0] (a1): ends at 20100, outside the genome: twin1 has 12000 bases',
    );
    expect(message.message).toContain('(and 1 more in panels/small/check.txt)');
    expect(await readFile(`${storage}/panels/small/check.txt`, 'utf8')).toContain('(a2)');
  });

  test('[PANEL-15] that is not JSON, or whose control file names an unknown amplicon, is rejected with the position', async () => {
    expect((await check('{')).message.message).toContain('small.json: is not JSON');
    const panel = smallPanel(storage, 'twin', { control: 'small.txt' });
    expect((await check(panel, '[amplicons]\namplicon\tcopies\nzz\t2\n')).message.message).toBe(
      'small.txt: [amplicons] line 3: zz is not an amplicon of the panel',
    );
  });

  test('[PANEL-15] whose parameters file breaks a rule, or is not a parameters file, is rejected', async () => {
    const panel = smallPanel(storage, 'twin');
    const preset = defaultPreset(panel, '1.0.0', 'strict');
    expect((await check(panel, undefined, JSON.stringify(preset))).message).toEqual({ outcome: 'done' });
    const said = async (file: object): Promise<string | undefined> =>
      (await check(panel, undefined, JSON.stringify(file))).message.message;
    expect(await said({ ...preset, copyGain: 0.9 })).toMatch(/^strict\.json: copyGain: /);
    expect(await said({ some: 'thing' })).toBe('strict.json: is not a parameters file');
  });
});
