/** Creates the row of a PanelType applied with kubectl, with its panel file from storage. */
import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import type { PanelType } from '@seqpanel/crds/kinds.ts';
import { PANEL_TYPES, type Stored } from '@seqpanel/crds/kube/objects.ts';
import type { PanelFile } from '@seqpanel/crds/panel.ts';
import { isBelow, PANEL_SOURCES } from '@seqpanel/crds/storage.ts';
import type { Knex } from 'knex';
import { changesOfNew, writeAudit } from '../audit/write-audit.ts';
import { stateOf } from '../configuration/owned-rows.ts';
import { withTransaction } from '../db/transaction.ts';
import { KUBECTL } from '../genomes/applied-genome.ts';
import { makeCheckedFolders, sha256Of } from '../storage/frozen-files.ts';
import { placeIn, readBytes, statEntry } from '../storage/inside-storage.ts';
import { type PanelRow, type StoredFile, storedPanel } from './panel-row.ts';

type Said = Pick<
  PanelRow,
  | 'display_name'
  | 'panel_group'
  | 'active'
  | 'is_default'
  | 'group_list'
  | 'genome'
  | 'instance_type'
  | 'file_extensions'
  | 'files'
  | 'panel'
>;

/** Columns derived from the resource and its panel file. `before`: the row, whose files may be the same. */
export async function panelColumns(
  db: Knex,
  storageDir: string,
  spec: PanelType['spec'],
  before?: PanelRow,
): Promise<Said> {
  await makeCheckedFolders(storageDir, { kind: PANEL_TYPES.kind, spec });
  const genome = await db('genome').whereRaw("lower(replace(value, '_', '-')) = ?", [spec.genome]).first('value');
  const { panel, control, parameters = [] } = spec.files;
  const isSameControl = (before?.files.control?.path ?? null) === (control?.path ?? null);
  const { path, sha256 } = before?.files.panel ?? {};
  const isSamePanel = before?.panel && path === panel.path && sha256 === panel.sha256;
  return {
    display_name: spec.displayName,
    panel_group: spec.group ?? '',
    active: spec.active ?? true,
    is_default: spec.default ?? false,
    group_list: spec.allowedGroups ?? null,
    genome: genome?.value ?? spec.genome,
    instance_type: spec.instanceType ?? '',
    file_extensions: spec.fileExtensions ?? ['fq'],
    files: {
      panel: await fileOf(storageDir, panel),
      control: control ? await fileOf(storageDir, control) : null,
      // Kept with the control file it belongs to, because the resource does not name it.
      control_data: (isSameControl && before?.files.control_data) || null,
      parameters: await Promise.all(parameters.map((file) => fileOf(storageDir, file))),
    },
    panel: isSamePanel ? before.panel : await readPanelFile(storageDir, panel),
  };
}

/** Does nothing if a row has this value or display name. */
export async function importPanelType(
  db: Knex,
  storageDir: string,
  resource: Stored<PanelType>,
  now: Date,
): Promise<void> {
  const { spec, status } = resource;
  const row: PanelRow = {
    id: randomUUID(),
    value: spec.value,
    ...(await panelColumns(db, storageDir, spec)),
    is_default: false,
    problems: [],
    status: (status ?? {}) as PanelRow['status'],
    created: now,
    modified: now,
  };
  await withTransaction(db, async (trx) => {
    const inserted = await trx('panel_type')
      .insert({ ...storedPanel(row), ...stateOf(resource) })
      .onConflict()
      .ignore()
      .returning('id');
    if (inserted.length === 0) return;
    const entry = { actor: KUBECTL, resourceType: 'panel_type', resourceId: row.id, resource: row.value } as const;
    const changes = changesOfNew({ value: row.value, display_name: row.display_name });
    await writeAudit(trx, { ...entry, action: 'create', changes }, now);
  });
}

async function fileOf(storageDir: string, { path, sha256 }: { path: string; sha256: string }): Promise<StoredFile> {
  const size = (await sizeOf(storageDir, path)) ?? 0;
  return { name: basename(path), path, sha256, size };
}

/** Returns undefined for a path that is not a regular file of the storage. */
async function sizeOf(storageDir: string, path: string): Promise<number | undefined> {
  try {
    return (await statEntry(placeIn(storageDir, path))).size;
  } catch {
    return undefined;
  }
}

/** Returns null for a file that is missing, not JSON, or not the one the resource names. The check Job reports it. */
async function readPanelFile(storageDir: string, file: { path: string; sha256: string }): Promise<PanelFile | null> {
  if (!isBelow(PANEL_SOURCES, file.path)) return null;
  try {
    const bytes = await readBytes(placeIn(storageDir, file.path));
    return sha256Of(bytes) === file.sha256 ? (JSON.parse(bytes.toString()) as PanelFile) : null;
  } catch {
    return null;
  }
}
