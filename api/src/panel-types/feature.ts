/** Panel types. Staff see all, group admins those of their groups, members those they may launch. */
import { readFile } from 'node:fs/promises';
import { importPanel } from '@seqpanel/crds/panel-import.ts';
import { installedGenome } from '@seqpanel/crds/storage.ts';
import { actorOf } from '../audit/write-audit.ts';
import { Forbidden, Invalid } from '../errors.ts';
import type { AnswerOf, Call, Deps, Feature, UploadedFile } from '../feature.ts';
import { answerList } from '../http/answer-list.ts';
import type { Caller } from '../http/caller.ts';
import { placeIn, readText } from '../storage/inside-storage.ts';
import { checkDesignSizes } from './intake-limits.ts';
import { type PanelForm, readPanelForm } from './panel-form.ts';
import { panelAnswer } from './panel-row.ts';
import { createPanelService, exists } from './panel-service.ts';
import { findPanel, listLaunchable, listPanels, readListedPanel, readPanel, type Scope } from './panel-store.ts';

export function createPanelTypes(deps: Deps): Feature {
  const { db, config, now } = deps;
  const { storageDir, namespace } = config;
  const service = createPanelService({ db, storageDir, namespace, now });

  return {
    name: 'panel-types',
    routes: {
      listPanelTypes: {
        role: 'staff-or-group-admin',
        handle: ({ res, caller, query }) =>
          answerList(db, res, query, async (from, asked) => {
            const page = await listPanels(from, scopeOf(caller), asked);
            return { count: page.count, results: page.results.map(panelAnswer) };
          }),
      },
      getPanelType: {
        role: 'staff-or-group-admin',
        handle: async ({ caller, params }) => panelAnswer(await readListedPanel(db, scopeOf(caller), params.id)),
      },
      createPanelType: {
        role: 'staff-or-group-admin',
        handle: async (call) => {
          const form = forCaller(call.caller, readPanelForm(call.body), 'new');
          const id = await service.create(form, call.files, actorOf(call));
          return panelAnswer(await readListedPanel(db, 'all', id));
        },
      },
      updatePanelType: {
        role: 'staff-or-group-admin',
        handle: async (call) => {
          const { caller } = call;
          const { id } = call.params;
          const check = ({ group_list }: { group_list: string[] | null }): void => {
            if (!isStaff(caller) && !isOwn(caller, group_list)) throw new Forbidden();
          };
          const form = forCaller(caller, readPanelForm(call.body), 'old');
          await service.change({ id, scope: scopeOf(caller), check }, form, call.files, actorOf(call));
          return panelAnswer(await readListedPanel(db, 'all', id));
        },
      },
      classifyPanelFiles: {
        role: 'staff-or-group-admin',
        handle: async ({ caller, body, files }) => {
          const { value = '', fields } = readPanelForm(body);
          const stored = await findPanel(db, scopeOf(caller), value);
          const checked = await service.check(value, fields.genome, stored, files);
          return checked.map((file) => ({
            name: file.name,
            role: file.role,
            status:
              file.problems.length > 0
                ? ('Invalid' as const)
                : exists(stored, file)
                  ? ('Exist' as const)
                  : ('New' as const),
            problems: file.problems,
          }));
        },
      },
      importPanel: { role: 'staff-or-group-admin', handle: ({ body, files }) => importDesign(deps, body, files) },
      listGroupPanelTypes: {
        role: 'group-member',
        handle: async ({ group }) => {
          const panels = await listLaunchable(db, group.id);
          return { count: panels.length, results: panels.map(panelAnswer) };
        },
      },
      getPanelFile: {
        role: 'group-member',
        handle: async ({ group, params }) =>
          (await readPanel(db, { groups: [group.id] }, { id: params.id })).panel as unknown as Record<string, unknown>,
      },
    },
  };
}

const isStaff = (caller: Caller): boolean => caller.isStaff || caller.isSuperuser;
const managed = (caller: Caller): string[] =>
  caller.groups.filter(({ isGroupAdmin }) => isGroupAdmin).map(({ id }) => id);
const scopeOf = (caller: Caller): Scope => (isStaff(caller) ? 'all' : { groups: managed(caller) });
const isOwn = (caller: Caller, groups: string[] | null): boolean =>
  groups?.every((id) => managed(caller).includes(id)) ?? false;

/** Restricts a group admin to the groups they manage and rejects a change of the global default. */
function forCaller(caller: Caller, form: PanelForm, state: 'new' | 'old'): PanelForm {
  if (isStaff(caller)) return form;
  const { group_list: groups, is_default: isDefault } = form.fields;
  if (isDefault !== undefined && isDefault) throw new Forbidden();
  if (groups === undefined)
    return state === 'old' ? form : { ...form, fields: { ...form.fields, group_list: managed(caller) } };
  if (groups === null || !isOwn(caller, groups)) throw new Forbidden();
  return form;
}

/** Imports a BED, a BED plus a BED of inserts, or a BEDPE of primer pairs. Name and columns tell them apart. */
async function importDesign(
  { db, config }: Deps,
  body: Call<'importPanel'>['body'],
  files: readonly UploadedFile[],
): Promise<AnswerOf<'importPanel'>> {
  const [first, second] = files;
  if (!first) throw new Invalid('panel_file_missing');
  checkDesignSizes(files);
  const row = await db('genome').where({ value: body.genome }).first();
  if (!row) throw new Invalid('genome_unknown', { value: body.genome });
  const installed = await readText(placeIn(config.storageDir, installedGenome(body.genome))).catch(() => undefined);
  const contigs = installed ? JSON.parse(installed).contigs : (row.status.contigs ?? []);
  const text = await readFile(first.path, 'utf8');
  const design = /\.bedpe$/i.test(first.name)
    ? { bedpe: text }
    : { bed: text, ...(second && { insertBed: await readFile(second.path, 'utf8') }) };
  const { panel, problems } = importPanel(design, {
    value: body.value,
    displayName: body.display_name?.trim() || body.value,
    genome: { value: body.genome, contigs },
  });
  if (problems.length > 0) {
    throw Invalid.because(
      'panel_import_invalid',
      problems.map(({ path, message }) => ({ field: path, message: path ? `${path}: ${message}` : message })),
    );
  }
  return panel as unknown as Record<string, unknown>;
}
