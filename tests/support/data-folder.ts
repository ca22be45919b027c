/** Puts public test data into a product's incoming folder in the demo's form, so that the same client code installs, uploads and launches it. */
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { DemoManifest } from '@seqpanel/crds/demo-manifest.ts';
import type { PanelFile } from '@seqpanel/crds/panel.ts';
import { importPanel, type PanelDesign } from '@seqpanel/crds/panel-import.ts';
import { type DemoFolder, ensureGenome } from '../../operator/src/local/demo/prepare.ts';
import { API, type RestClient } from '../../operator/src/local/demo/rest-client.ts';
import type { Product } from './product.ts';

export interface DataSet {
  /** Name of the genome, the panel and the folder. */
  value: string;
  /** Absolute path of the FASTA. */
  fasta: string;
  design: PanelDesign;
  analysisTypes?: PanelFile['analysisTypes'];
  samples: {
    name: string;
    role?: 'germline' | 'tumor' | 'normal';
    qcType?: 'NTC' | 'Sample';
    r1: string;
    r2: string;
  }[];
}

/** Installs the genome, imports the panel's design for its contigs and lays out the reads. */
export async function openDataSet(client: RestClient, product: Product, data: DataSet): Promise<DemoFolder> {
  const storagePath = `incoming/${data.value}`;
  const dir = join(product.storageDir, storagePath);
  mkdirSync(dir, { recursive: true });
  copyFileSync(data.fasta, join(dir, basename(data.fasta)));
  for (const sample of data.samples)
    for (const file of [sample.r1, sample.r2]) copyFileSync(file, join(dir, basename(file)));
  const manifest: DemoManifest = {
    schema_version: 1,
    genome: { displayName: data.value, value: data.value, fasta: basename(data.fasta), annotation: [] },
    panel: { displayName: data.value, value: data.value, file: `${data.value}.json` },
    samples: data.samples.map((sample) => ({
      name: sample.name,
      libraryId: sample.name,
      qcType: sample.qcType ?? 'Sample',
      role: sample.role ?? 'germline',
      files: [
        { path: basename(sample.r1), read: 'R1', lane: 'L001' },
        { path: basename(sample.r2), read: 'R2', lane: 'L001' },
      ],
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
    ...(data.analysisTypes ? { analysisTypes: data.analysisTypes } : {}),
  });
  if (problems.length > 0) throw new Error(`${data.value}: ${problems[0]!.message}`);
  writeFileSync(join(dir, manifest.panel.file), JSON.stringify(panel));
  return folder;
}
