import { afterEach, describe, expect, test } from '@jest/globals';
import { BadInput } from '../runner/bad-input.ts';
import type { CheckContext } from '../runner/step-definition.ts';
import { createFastaCheck } from './fasta.ts';
import { GeneModelReader } from './gene-models.ts';
import { toGff3 } from './snpeff-gff3.ts';
import { locateSource } from './source-file.ts';
import type { Transcript } from './transcript.ts';
import { formatTranscript, parseTranscript } from './transcripts-table.ts';
import { inGenomeNames } from './vcf-contigs.ts';

describe('a FASTA', () => {
  const check =
    (...chunks: string[]): (() => void) =>
    () => {
      const fasta = createFastaCheck('x.fa');
      for (const chunk of chunks) fasta.push(Buffer.from(chunk));
      fasta.end();
    };
  test.each([
    [['ACGT\n'], 'x.fa, line 1: is not FASTA: it does not start with ">"'],
    [['>a\nAC', 'G!T\n'], 'x.fa, line 2: "!" is not a base'],
    [['>a\nACGT\n>a\nACGT\n'], 'x.fa, line 3: the contig a occurs twice'],
    [['>\nACGT\n'], 'x.fa, line 1: a sequence has no name'],
    [[''], 'x.fa: contains no sequence'],
    [['>a\n>b\n'], 'x.fa: contains no bases'],
  ])('of %j is rejected: %s', (chunks, message) => {
    expect(check(...chunks)).toThrow(message);
  });

  test('with CRLF lines loses its carriage returns, also across chunks', () => {
    const fasta = createFastaCheck('x.fa');
    expect(fasta.push(Buffer.from('>a b\r\nAC\r')).toString() + fasta.push(Buffer.from('\nGT\r\n')).toString()).toBe(
      '>a b\nAC\nGT\n',
    );
    fasta.end();
    expect([...fasta.contigs.keys()]).toEqual(['a']);
  });
});

const row = (type: string, start: number, end: number, attributes: string, strand = '+'): string =>
  `17\tx\t${type}\t${start}\t${end}\t.\t${strand}\t0\t${attributes}\n`;

describe('gene models', () => {
  const parsed = (gff3: string): Transcript[] => {
    const reader = new GeneModelReader([{ name: 'chr17', length: 1000 }], 'x.gff3');
    for (const line of gff3.split('\n')) reader.push(line);
    return reader.transcripts();
  };
  test('of Ensembl and NCBI get their accessions and the genome’s contig names', () => {
    const ensembl =
      row('gene', 1, 90, 'ID=gene:ENSG1;Name=TP53;biotype=protein_coding') +
      row('mRNA', 1, 90, 'ID=transcript:ENST1;Parent=gene:ENSG1;version=4;tag=MANE_Select') +
      row('exon', 1, 90, 'Parent=transcript:ENST1') +
      row('CDS', 10, 39, 'ID=CDS:P1;Parent=transcript:ENST1');
    const ncbi =
      row('gene', 1, 90, 'ID=gene-TP53;Name=TP53') +
      row('mRNA', 1, 90, 'ID=rna-NM_000546.6;Parent=gene-TP53;transcript_id=NM_000546.6;tag=MANE Select') +
      row('exon', 1, 90, 'ID=exon-1;Parent=rna-NM_000546.6') +
      row('CDS', 10, 39, 'ID=cds-1;Parent=rna-NM_000546.6');
    const read = (text: string) => parsed(text).map((t) => [t.id, t.gene, t.chrom, t.mane, t.biotype]);
    expect(read(ensembl)).toEqual([['ENST1.4', 'TP53', 'chr17', true, 'protein_coding']]);
    expect(read(ncbi)).toEqual([['NM_000546.6', 'TP53', 'chr17', true, 'protein_coding']]);
  });

  test('are read back from the table, and from the GFF3 for snpEff', () => {
    const text =
      row('gene', 1, 90, 'ID=g;Name=A', '-') +
      row('mRNA', 1, 90, 'ID=t;Parent=g', '-') +
      row('exon', 1, 90, 'Parent=t', '-');
    const [t] = parsed(text);
    expect(parseTranscript(formatTranscript(t!))).toEqual(t);
    expect(toGff3([t!])).toContain('chr17\tseqpanel\tmRNA\t1\t90\t.\t-\t.\tID=t;Parent=gene1;Name=t;biotype=misc_RNA');
  });

  test('that cannot be parsed, or are on no contig of the genome, are rejected', () => {
    expect(() => parsed('a\tb\n')).toThrow('x.gff3, line 1: has 2 columns instead of the 9 of GFF3');
    expect(() => parsed(row('exon', 9, 3, 'Parent=t'))).toThrow('x.gff3, line 1: 9-3 is not a range');
    expect(() => parsed('##gff-version 3\n')).toThrow('x.gff3: contains no gene model');
  });
});

describe('a VCF of known variants', () => {
  async function read(text: string): Promise<string> {
    // Split at odd places, like a stream.
    async function* chunks() {
      for (let i = 0; i < text.length; i += 7) yield Buffer.from(text.slice(i, i + 7));
    }
    let out = '';
    for await (const chunk of inGenomeNames(chunks(), [{ name: 'chr17', length: 100, aliases: ['17'] }], 'x.vcf'))
      out += chunk;
    return out;
  }
  const head = '##fileformat=VCFv4.2\n';
  const columns = '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n';

  test('gets the genome’s contig names and loses records outside the genome', async () => {
    const text = `${head}##contig=<ID=17>\n${columns}17\t5\trs1\tA\tC\t.\t.\t.\n18\t5\trs2\tA\tC\t.\t.\t.\n17\t101\trs3\tA\tC\t.\t.\t.`;
    expect(await read(text)).toBe(`${head}##contig=<ID=chr17,length=100>\n${columns}chr17\t5\trs1\tA\tC\t.\t.\t.\n`);
  });

  test('that is invalid is rejected with its line', async () => {
    await expect(read('hello\n')).rejects.toThrow('x.vcf, line 1: is not a VCF file');
    await expect(read(`${head}17\t5\n`)).rejects.toThrow('x.vcf, line 2: a record before the #CHROM line');
    await expect(read(`${head}${columns}17\tx\tr\n`)).rejects.toThrow('x.vcf, line 3: has no position');
    await expect(read(head)).rejects.toThrow('there is no #CHROM line');
  });
});

describe('a host that does not deliver the file', () => {
  const real = globalThis.fetch;
  afterEach(() => {
    globalThis.fetch = real;
  });
  const failure = (status: number): Promise<unknown> => {
    globalThis.fetch = async () => new Response('', { status });
    const context = { signal: new AbortController().signal, tmp: '/nowhere' } as CheckContext;
    const source = { url: 'https://ftp.example.org/g.fa.gz', sha256: 'a'.repeat(64) };
    return locateSource(context, source, ['ftp.example.org']).catch((error: unknown) => error);
  };
  test.each([404, 403])('is bad input when it answers %i', async (status) => {
    expect(await failure(status)).toBeInstanceOf(BadInput);
  });
  test('that is unreachable or not trusted is reported with the reason', async () => {
    const context = { signal: new AbortController().signal, tmp: '/nowhere' } as CheckContext;
    const from = (url: string) =>
      locateSource(context, { url, sha256: 'a'.repeat(64) }, ['ftp.example.org']).catch(
        (error: Error) => error.message,
      );
    const failed = async (cause: object) => {
      globalThis.fetch = async () => {
        throw Object.assign(new TypeError('fetch failed'), { cause });
      };
      return from('https://ftp.example.org/g.fa.gz');
    };
    expect(await failed({ code: 'ECONNREFUSED', message: 'connect ECONNREFUSED 192.0.2.1:443' })).toBe(
      'fetching https://ftp.example.org/g.fa.gz failed: connect ECONNREFUSED 192.0.2.1:443',
    );
    expect(await failed({ code: 'SELF_SIGNED_CERT_IN_CHAIN', message: 'self-signed certificate' })).toBe(
      'fetching https://ftp.example.org/g.fa.gz failed: self-signed certificate; the CA of its certificate is not trusted',
    );
    expect(await from('https://ftp.example.org:8443/g.fa.gz')).toContain(
      'the host ftp.example.org:8443 is not allowed',
    );
  });
  test.each([503, 429])('is retried when it answers %i', async (status) => {
    const error = await failure(status);
    expect(error).not.toBeInstanceOf(BadInput);
    expect((error as Error).message).toBe(`ftp.example.org answered ${status} for g.fa.gz`);
  });
});
