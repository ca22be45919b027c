import { basename } from 'node:path';
import type { Variant } from './compare.ts';
import type { DemoFolder, Prepared } from './prepare.ts';
import { API, type RestClient } from './rest-client.ts';

/** Launches the chosen samples (default: all) as one task and returns its id. A repeated key returns the same task. */
export async function launchDemo(
  client: RestClient,
  folder: DemoFolder,
  prepared: Prepared,
  launch: { name: string; idempotencyKey: string; samples?: readonly string[] },
): Promise<string> {
  const chosen = folder.manifest.samples.filter((sample) => launch.samples?.includes(sample.name) ?? true);
  const names = new Set(chosen.map((sample) => sample.name));
  const answer = await client.post<{ tasks: { id: string }[] }>(
    `${API}/${prepared.group}/analysis/launch-task`,
    {
      name: launch.name,
      project: prepared.project,
      panel: prepared.panel,
      preset: null,
      samples: chosen.map((sample) => ({
        name: sample.name,
        library_id: sample.libraryId,
        qc_type: sample.qcType,
        role: sample.role,
        ...(sample.controlMaterial ? { control_material: sample.controlMaterial } : {}),
        ...(sample.tumorContent === undefined ? {} : { tumor_content: sample.tumorContent }),
        files: sample.files.map((file) => ({
          name: basename(file.path),
          read: file.read,
          ...(file.lane ? { lane: file.lane } : {}),
        })),
      })),
      pairs: folder.manifest.pairs.filter((pair) => names.has(pair.tumor) && names.has(pair.normal)),
    },
    { 'idempotency-key': launch.idempotencyKey },
  );
  const [task] = answer.tasks;
  if (!task) throw new Error('the launch created no task');
  return task.id;
}

/** Returns the called variants (FILTER PASS) of a sample, as in the console's table. */
export async function calledVariants(
  client: RestClient,
  group: string,
  task: string,
  sample: string,
): Promise<Variant[]> {
  type Row = {
    chrom: string;
    pos: number;
    ref: string;
    alt: string;
    vaf: number | null;
    gene: string | null;
    hgvs_p: string | null;
    hgvs_c: string | null;
  };
  const path = `${API}/${group}/tasks/${task}/variants?show=called&page_size=1000&sample=${encodeURIComponent(sample)}`;
  const { results } = await client.get<{ results: Row[] }>(path);
  return results.map((row) => ({
    chrom: row.chrom,
    pos: row.pos,
    ref: row.ref,
    alt: row.alt,
    vaf: row.vaf ?? 0,
    ...(row.gene ? { gene: row.gene } : {}),
    ...(row.hgvs_p || row.hgvs_c ? { hgvs: (row.hgvs_p ?? row.hgvs_c)! } : {}),
  }));
}
