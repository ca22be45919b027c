/** Parameters files of a group: saved ones, defaults of panels, and options for the form. */
import { FILTER_FIELDS, fieldType } from '@seqpanel/crds/conditions/fields.ts';
import { READS_METRICS } from '@seqpanel/crds/outputs/reads.ts';
import type { PanelFile } from '@seqpanel/crds/panel.ts';
import type { Preset } from '@seqpanel/crds/preset.ts';
import { defaultPreset } from '@seqpanel/crds/preset-default.ts';
import { withoutCovered } from '@seqpanel/crds/preset-rules.ts';
import type { Knex } from 'knex';
import { actorOf } from '../audit/write-audit.ts';
import { NotFound } from '../errors.ts';
import type { AnswerOf, Deps, Feature } from '../feature.ts';
import { answerList } from '../http/answer-list.ts';
import { readPanel } from '../panel-types/panel-store.ts';
import { readUsablePipelines } from '../pipelines/usable-pipelines.ts';
import { createPresetService } from './preset-service.ts';
import { listPresets, readPreset } from './preset-store.ts';

type Metadata = AnswerOf<'getPresetMetadata'>;
type FormFields = AnswerOf<'listPanelFormFields'>;

interface PanelWithFile {
  id: string;
  display_name: string;
  panel: PanelFile;
}

export function createPresets({ db, settings, now }: Deps): Feature {
  const presets = createPresetService(db, settings, now);
  return {
    name: 'presets',
    routes: {
      listPresets: {
        role: 'group-member',
        handle: ({ res, group, query }) =>
          answerList(db, res, query, (from, asked) => listPresets(from, group.id, asked)),
      },
      getPreset: { role: 'group-member', handle: ({ group, params }) => readPreset(db, group.id, { id: params.id }) },
      getPresetByName: {
        role: 'group-member',
        handle: ({ group, params: { panel, name } }) => readPreset(db, group.id, { panel, name }),
      },
      createPreset: {
        role: 'group-member',
        handle: async (call) => {
          const { content, save_as_new_of: copyOf } = call.body;
          const id = await presets.create(call.group.id, contentOf(content), copyOf, actorOf(call));
          return await readPreset(db, call.group.id, { id });
        },
      },
      updatePreset: {
        role: 'group-member',
        handle: async (call) => {
          const { id } = call.params;
          await presets.update(call.group.id, id, contentOf(call.body.content), actorOf(call));
          return await readPreset(db, call.group.id, { id });
        },
      },
      deletePreset: {
        role: 'group-member',
        handle: (call) => presets.remove(call.group.id, call.params.id, actorOf(call)),
      },
      getDefaultPreset: {
        role: 'group-member',
        handle: async ({ group, params }) => {
          const { panel } = await readPanel(db, { groups: [group.id] }, { id: params.id });
          if (!panel) throw new NotFound();
          return defaultPreset(panel, await defaultPipeline(db)) as AnswerOf<'getDefaultPreset'>;
        },
      },
      listPresetMetadata: {
        role: 'group-member',
        handle: async ({ group }) => (await panelsOf(db, group.id)).map(metadataOf),
      },
      getPresetMetadata: {
        role: 'group-member',
        handle: async ({ group, params }) =>
          metadataOf((await readPanel(db, { groups: [group.id] }, { value: params.panel })) as PanelWithFile),
      },
      listPanelFormFields: {
        role: 'user',
        handle: async ({ caller }) => {
          const group = caller.groups.find(({ isDefault }) => isDefault);
          return group ? (await panelsOf(db, group.id)).map(fieldsOf) : [];
        },
      },
      listGroupPanelFormFields: {
        role: 'group-member',
        handle: async ({ group }) => (await panelsOf(db, group.id)).map(fieldsOf),
      },
    },
  };
}

/** Returns the name of the pipeline for a new preset, or '' when none is installed. */
async function defaultPipeline(db: Knex): Promise<string> {
  const [first] = await readUsablePipelines(db);
  return first?.name ?? '';
}

/** Returns the active panels of a group with their panel files. */
async function panelsOf(db: Knex, groupId: string): Promise<PanelWithFile[]> {
  const rows = await db('panel_type')
    .where({ active: true })
    .whereNotNull('panel')
    .where((open) => open.whereNull('group_list').orWhereRaw('jsonb_exists(group_list, ?)', [groupId]))
    .orderByRaw('lower(display_name)')
    .select('id', 'display_name', 'panel');
  return rows.flatMap(({ panel, ...row }) => (panel ? [{ ...row, panel }] : []));
}

function metadataOf({ id, display_name, panel }: PanelWithFile): Metadata {
  return {
    panel_id: id,
    panel: panel.value,
    display_name,
    chemistry: panel.chemistry,
    analysis_types: panel.analysisTypes,
    amplicons: panel.amplicons.map(({ name, chrom, insert, gene }) => ({
      name,
      chrom,
      start: insert.start,
      end: insert.end,
      ...(gene && { gene }),
    })),
    parameters: panel.parameters,
    filter_fields: FILTER_FIELDS.map((name) => ({ name, type: fieldType(name) })),
    qc_metrics: Object.keys(READS_METRICS),
  };
}

const fieldsOf = ({ id, panel }: PanelWithFile): FormFields[number] => ({
  panel_id: id,
  panel: panel.value,
  fields: panel.parameters,
});

/** Returns the stored part of a body. A location with three blank fields is dropped. */
function contentOf(content: unknown): Preset {
  const preset = structuredClone(content) as Preset;
  for (const row of preset.roi.rows) {
    const location = row.location as { chrom?: unknown; start?: unknown; end?: unknown } | undefined;
    if (location && !location.chrom && !location.start && !location.end) delete row.location;
  }
  return withoutCovered(preset);
}
