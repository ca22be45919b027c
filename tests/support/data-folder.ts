/**
 * Copies public test data to a product's incoming folder in the layout of the demo, so that the same client code
 * installs, uploads and launches it.
 */
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { DemoManifest } from '@seqpanel/crds/demo-manifest.ts';
import type { PanelFile } from '@seqpanel/crds/panel.ts';
import { importPanel, type PanelDesign } from '@seqpanel/crds/panel-import.ts';
import { type DemoFolder, ensureGenome } from '../../scripts/demo/prepare.ts';
import { API, type RestClient } from '../../scripts/demo/rest-client.ts';
import type { Product } from './product.ts';

export interface DataSet {
  /** Name of the genome, the panel and the folder. */
  value: string;
  /** Absolute path of the FASTA. */
  fasta: string;
  design: PanelDesign;
  chemistry?: PanelFile['chemistry'];
  /** Absolute path of a GFF3 with the genes. */
  genes?: string;
  /** The panel's own defaults, by key. */
  parameters?: Readonly<Record<string, number>>;
  samples: DataSample[];
}

/** Absolute paths: a pair of FASTQ files, or a BAM and its index. */
export type DataSample = { name: string; role?: 'germline' | 'tumor' } & (
  | { r1: string; r2: string }
  | { bam: string; bai: string }
);

type ManifestFile = DemoManifest['samples'][number]['files'][number];

const filesOf = (sample: DataSample): ManifestFile[] =>
  'bam' in sample
    ? [
        { path: sample.bam, read: 'bam' },
        { path: sample.bai, read: 'bai' },
      ]
    : [
        { path: sample.r1, read: 'R1', lane: 'L001' },
        { path: sample.r2, read: 'R2', lane: 'L001' },
      ];

/** Installs the genome, imports the panel's design for its contigs and copies the reads. */
export async function openDataSet(
  client: RestClient,
  product: Pick<Product, 'storageDir'>,
  data: DataSet,
): Promise<DemoFolder> {
  const storagePath = `incoming/${data.value}`;
  const dir = join(product.storageDir, storagePath);
  mkdirSync(dir, { recursive: true });
  const place = (file: string): string => {
    copyFileSync(file, join(dir, basename(file)));
    return basename(file);
  };
  const manifest: DemoManifest = {
    schema_version: 1,
    genome: {
      displayName: data.value,
      value: data.value,
      fasta: place(data.fasta),
      annotation: data.genes ? [{ name: 'genes', kind: 'genes', version: '1', path: place(data.genes) }] : [],
    },
    panel: { displayName: data.value, value: data.value, file: `${data.value}.json` },
    samples: data.samples.map((sample) => ({
      name: sample.name,
      libraryId: sample.name,
      qcType: 'Sample',
      role: sample.role ?? 'germline',
      files: filesOf(sample).map((file) => ({ ...file, path: place(file.path) })),
    })),
    pairs: [],
    truth: 'truth.json',
  };
  const folder: DemoFolder = { dir, storagePath, manifest };
  await ensureGenome(client, folder);
  type Genome = { value: string; contigs: { name: string; length: number; md5?: string }[] };
  const genomes = await client.get<{ results: Genome[] }>(`${API}/admin/genomes?page_size=99999`);
  const genome = genomes.results.find((candidate) => candidate.value === data.value)!;
  const { panel, problems } = importPanel(data.design, {
    value: data.value,
    displayName: data.value,
    genome,
    bamAllowed: true,
    ...(data.chemistry ? { chemistry: data.chemistry } : {}),
  });
  if (problems.length > 0) throw new Error(`${data.value}: ${problems[0]!.message}`);
  const parameters = panel.parameters.map((parameter) => ({
    ...parameter,
    default: data.parameters?.[parameter.key] ?? parameter.default,
  }));
  writeFileSync(join(dir, manifest.panel.file), JSON.stringify({ ...panel, parameters }));
  return folder;
}
