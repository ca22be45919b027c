/** Calls that read results. */

import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { PanelFile } from '@seqpanel/crds/panel.ts';
import { VARIANT_COLUMNS } from '@seqpanel/crds/variant-columns.ts';
import { NotFound } from '../errors.ts';
import type { Call, Deps, Feature } from '../feature.ts';
import { sendFile } from '../http/send-file.ts';
import { type FrozenIndex, readFrozenJson } from '../storage/frozen-files.ts';
import { isMissing, placeIn } from '../storage/inside-storage.ts';
import { readTask } from '../tasks/task-detail.ts';
import { readAmplicons, readDepths } from './depths.ts';
import { geneRegions, geneTrack } from './gene-track.ts';
import { type FrozenSources, genesOf, readIgv } from './igv.ts';
import { readQc } from './sample-qc.ts';
import { readSummary } from './summary.ts';
import { readVariant } from './variant-detail.ts';
import { listFacets } from './variant-facets.ts';
import { CountCache, listVariants } from './variants.ts';

export function createResults(deps: Deps): Feature {
  const { db, config } = deps;
  const role = 'group-member';
  const counts = new CountCache();
  return {
    name: 'results',
    routes: {
      getTaskSummary: {
        role,
        handle: async ({ group, params }) =>
          readSummary(db, config.storageDir, await readTask(db, group.id, params.id)),
      },
      listVariants: {
        role,
        handle: async ({ group, params, query }) =>
          listVariants(db, counts, await readTask(db, group.id, params.id), query),
      },
      listVariantFacets: {
        role,
        handle: async ({ group, params, query }) => {
          await readTask(db, group.id, params.id);
          return await listFacets(db, params.id, query);
        },
      },
      getVariant: {
        role,
        handle: async ({ group, params }) =>
          readVariant(db, config.storageDir, await readTask(db, group.id, params.id), params.variant),
      },
      listVariantColumns: {
        role: 'user',
        handle: async () => ({
          results: VARIANT_COLUMNS.map((column) => ({
            key: column.key,
            type: column.type,
            title: `variants.${column.key}`,
            help: column.help,
            unit: column.unit ?? null,
            values: column.values ? [...column.values] : null,
            min: column.min ?? null,
            max: column.max ?? null,
            sortable: column.sortable,
            filterable: column.filterable,
            facet: column.facet ?? null,
          })),
        }),
      },
      getTaskQc: { role, handle: async ({ group, params }) => readQc(db, await readTask(db, group.id, params.id)) },
      getDepthMatrix: {
        role,
        handle: async ({ res, group, params }) => {
          const task = await readTask(db, group.id, params.id);
          const { samples, amplicons, matrix } = await readDepths(db, task.id);
          res.setHeader('X-Samples', samples);
          res.setHeader('X-Amplicons', amplicons);
          res.setHeader('Content-Disposition', `attachment; filename="${task.name}-depth.u32"`);
          res.type('application/octet-stream').status(200).end(matrix);
        },
      },
      listTaskAmplicons: {
        role,
        handle: async ({ group, params, query }) => ({
          results: await readAmplicons(db, await readTask(db, group.id, params.id), query.sample),
        }),
      },
      getTaskIgv: {
        role,
        handle: async ({ group, params, query }) =>
          readIgv(db, config.storageDir, await readTask(db, group.id, params.id), group.id, query.sample),
      },
      getTaskReference: {
        role,
        handle: async (call) => {
          const task = await readTask(db, call.group.id, call.params.id);
          await sendReference(deps, call, task.frozen);
        },
      },
    },
  };
}

/** Files of an installed genome that are sent unchanged. */
const GENOME_FILES: ReadonlySet<string> = new Set(['genome.fa', 'genome.fa.fai']);

/** Sends FASTA and index by Range, and gene models as GFF3 limited to the panel. Other names are not found. */
async function sendReference(
  { db, config }: Deps,
  { req, res, params }: Pick<Call<'getTaskReference'>, 'req' | 'res' | 'params'>,
  frozen: FrozenIndex,
): Promise<void> {
  if (params.file === 'genes.gff3') {
    const [panel, annotation] = await Promise.all([
      readFrozenJson<PanelFile>(db, frozen, 'panel.json'),
      readFrozenJson<FrozenSources>(db, frozen, 'annotation.json'),
    ]);
    const genes = await genesOf(config.storageDir, annotation);
    if (!genes) throw new NotFound('output_not_found');
    res.type('text/plain; charset=utf-8').setHeader('Cache-Control', 'private, max-age=3600');
    return await pipeline(Readable.from(geneTrack(genes, geneRegions({ amplicons: panel.amplicons ?? [] }))), res);
  }
  const { dir } = await readFrozenJson<{ dir: string }>(db, frozen, 'genome.json');
  if (!dir || !GENOME_FILES.has(params.file)) throw new NotFound('output_not_found');
  const place = placeIn(config.storageDir, dir, params.file);
  await sendFile(req, res, { place, name: place.name, inline: true }).catch((error) => {
    throw isMissing(error) ? new NotFound('output_not_found') : error;
  });
}
