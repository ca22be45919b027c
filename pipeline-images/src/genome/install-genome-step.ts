/** `seqpanel-step install-genome --spec FILE`: installs a Genome resource's FASTA and annotation sources. */

import { rename, writeFile } from 'node:fs/promises';
import { installedAnnotation, referenceDir } from '@seqpanel/crds/storage.ts';
import { BadInput } from '../runner/bad-input.ts';
import type { FrozenAnnotation } from '../runner/frozen.ts';
import type { CheckContext, CheckStep } from '../runner/step-definition.ts';
import { installAnnotation } from './annotation-source.ts';
import { type Aligner, installReference } from './reference.ts';
import { ALLOWED_HOSTS_ENV, locateSource, type Source } from './source-file.ts';

/** Number of contigs in the termination message. references/<value>/genome.json lists all contigs. */
const CONTIGS_TOLD = 40;

interface GenomeSpec {
  name: string;
  spec: {
    displayName?: string;
    value: string;
    synthetic?: boolean;
    aligners?: Aligner[];
    source: Source;
    annotation?: { name: string; kind: string; version: string; source: Source }[];
  };
}

const PART = /^[A-Za-z0-9_.-]+$/;

function checkNames({ spec }: GenomeSpec): void {
  const names = [spec?.value, ...(spec?.annotation ?? []).flatMap((source) => [source.name, source.version])];
  for (const name of names) {
    if (typeof name !== 'string' || !PART.test(name) || name.startsWith('.'))
      throw new BadInput('genome', undefined, `"${name}" cannot be used as a folder name`);
  }
}

async function run(context: CheckContext): Promise<Record<string, unknown>> {
  const request = context.spec as GenomeSpec;
  checkNames(request);
  const { spec } = request;
  const hosts = (process.env[ALLOWED_HOSTS_ENV] ?? '').split(',').filter(Boolean);
  const located = await locateSource(context, spec.source, hosts);
  const genome = await installReference(context, {
    value: spec.value,
    displayName: spec.displayName ?? spec.value,
    synthetic: spec.synthetic ?? false,
    aligners: spec.aligners ?? ['minimap2'],
    fasta: located.file,
    name: located.name,
    sha256: spec.source.sha256,
  });
  const annotation: FrozenAnnotation = { schema_version: 1, sources: [] };
  for (const { name, kind, version, source } of spec.annotation ?? []) {
    const { file, name: label } = await locateSource(context, source, hosts);
    annotation.sources.push(
      await installAnnotation(context, genome, { name, kind, version, file, label, sha256: source.sha256 }),
    );
  }
  const place = `${context.storage}/${installedAnnotation(spec.value)}`;
  await writeFile(`${place}.half`, `${JSON.stringify(annotation, null, 1)}\n`);
  await rename(`${place}.half`, place);
  context.log.info(
    `${referenceDir(spec.value)}: ${genome.contigs.length} contigs, ${annotation.sources.length} sources`,
  );
  return {
    genome: {
      contigs: genome.contigs.slice(0, CONTIGS_TOLD).map((c) => [c.name, c.length, c.md5]),
      indexes: genome.indexes.map((index) => ({ ...index, memoryMiB: genome.source.memoryMiB[index.tool ?? ''] })),
    },
  };
}

export const installGenomeStep: CheckStep = { name: 'install-genome', scope: 'check', run };
