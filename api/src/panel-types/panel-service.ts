/**
 * Creates and changes panel types: checks in order, stores the files, then writes row and intent in one transaction.
 */
import { randomUUID } from 'node:crypto';
import type { Contig } from '@seqpanel/crds/contigs.ts';
import type { MessageCode } from '@seqpanel/crds/messages.ts';
import { installedGenome } from '@seqpanel/crds/storage.ts';
import type { Knex } from 'knex';
import { type Actor, changesBetween, changesOfNew, writeAudit } from '../audit/write-audit.ts';
import { changedElsewhere, versionOf } from '../configuration/row-version.ts';
import { violatedConstraint, withTransaction } from '../db/transaction.ts';
import { Conflict, Invalid } from '../errors.ts';
import type { UploadedFile } from '../feature.ts';
import type { GenomeRow } from '../genomes/genome-object.ts';
import { enqueueIntent } from '../outbox/intent.ts';
import { placeIn, readText } from '../storage/inside-storage.ts';
import { type CheckedFile, checkFiles, type FileCheck } from './check-files.ts';
import { hasStrayPanelFile, removeUnnamed, storeFile } from './file-storage.ts';
import { type IncomingFile, readIncoming } from './intake.ts';
import type { PanelForm } from './panel-form.ts';
import {
  auditedPanel,
  type PanelFiles,
  type PanelRow,
  panelTypeObject,
  type StoredFile,
  storedPanel,
} from './panel-row.ts';
import { lockPanel, readPanel, type Scope } from './panel-store.ts';

/** Must also be a valid resource name when lower-cased, with dashes for underscores. */
const VALUE = /^[A-Za-z0-9]([A-Za-z0-9_-]{0,61}[A-Za-z0-9])?$/;

export interface PanelServiceDeps {
  db: Knex;
  storageDir: string;
  namespace: string;
  now: () => Date;
}

export interface PanelTarget {
  id: string;
  scope: Scope;
  /** Throws when the caller may see the panel type but not change it. */
  check(row: PanelRow): void;
}

export interface PanelService {
  create(form: PanelForm, files: readonly UploadedFile[], actor: Actor): Promise<string>;
  change(target: PanelTarget, form: PanelForm, files: readonly UploadedFile[], actor: Actor): Promise<void>;
  /** Returns the files with their problems and stores nothing. */
  check(
    value: string,
    genome: string | undefined,
    stored: PanelRow | undefined,
    files: readonly UploadedFile[],
  ): Promise<CheckedFile[]>;
}

export function createPanelService({ db, storageDir, namespace, now }: PanelServiceDeps): PanelService {
  async function examine(
    reads: Knex,
    value: string,
    genome: string,
    stored: PanelRow | undefined,
    incoming: readonly IncomingFile[],
  ): Promise<FileCheck> {
    const contigs = await readContigs(reads, storageDir, genome);
    return checkFiles(incoming, {
      value,
      ...(contigs && { contigs }),
      ...(stored?.panel && { storedPanel: stored.panel }),
      ...(stored?.files.control && { storedControl: stored.files.control.name }),
    });
  }

  async function storeAll(
    value: string,
    checked: readonly CheckedFile[],
    before: PanelFiles | undefined,
  ): Promise<PanelFiles> {
    const kept: PanelFiles = before
      ? { ...before, parameters: [...before.parameters] }
      : { panel: undefined as never, control: null, control_data: null, parameters: [] };
    for (const file of checked) {
      const stored: StoredFile = await storeFile(storageDir, value, file);
      if (file.role === 'parameters') {
        kept.parameters = [...kept.parameters.filter(({ name }) => name !== stored.name), stored];
      } else if (file.role !== 'unknown') kept[file.role] = stored;
    }
    return kept;
  }

  /** Writes the row, its audit entry and the intent. Removes the default mark from another panel type. */
  async function save(trx: Knex.Transaction, row: PanelRow, before: PanelRow | undefined, actor: Actor): Promise<void> {
    if (row.is_default && !before?.is_default) await takeDefault(trx, row.id, actor);
    if (before) await trx('panel_type').where({ id: row.id }).update(storedPanel(row));
    else await trx('panel_type').insert(storedPanel(row));
    await recordChange(trx, row, before, actor);
  }

  async function takeDefault(trx: Knex.Transaction, id: string, actor: Actor): Promise<void> {
    const others: PanelRow[] = await trx('panel_type').where({ is_default: true }).whereNot({ id }).forUpdate();
    for (const other of others) {
      await trx('panel_type').where({ id: other.id }).update({ is_default: false });
      await recordChange(trx, { ...other, is_default: false }, other, actor);
    }
  }

  async function recordChange(
    trx: Knex.Transaction,
    row: PanelRow,
    before: PanelRow | undefined,
    actor: Actor,
  ): Promise<void> {
    const changes = before ? changesBetween(auditedPanel(before), auditedPanel(row)) : changesOfNew(auditedPanel(row));
    const entry = { actor, resourceType: 'panel_type', resourceId: row.id, resource: row.value } as const;
    await writeAudit(trx, { ...entry, action: before ? 'update' : 'create', changes }, now());
    await enqueueIntent(trx, { type: 'apply', kind: 'PanelType', object: panelTypeObject(row, namespace) }, now());
  }

  /** Runs under the row's lock, so that no concurrent change relies on a removed content. */
  async function cleanUp(id: string): Promise<void> {
    await withTransaction(db, async (trx) => {
      const row: Pick<PanelRow, 'value' | 'files'> | undefined = await trx('panel_type')
        .where({ id })
        .forUpdate()
        .first('value', 'files');
      if (row) await removeUnnamed(storageDir, row.value, row.files, now());
    });
  }

  return {
    create: async (form, files, actor) => {
      const value = form.value ?? '';
      const { display_name: name, genome } = form.fields;
      if (!name) throw new Invalid('panel_display_name_required');
      if (value === '') throw new Invalid('panel_value_required');
      if (!VALUE.test(value)) throw new Invalid('panel_value_characters');
      if (await db('panel_type').whereRaw('lower(display_name) = lower(?)', [name]).first('id'))
        throw new Conflict('panel_display_name_exists');
      if (
        await db('panel_type')
          .whereRaw("lower(replace(value, '_', '-')) = lower(replace(?, '_', '-'))", [value])
          .first('id')
      )
        throw new Conflict('panel_value_exists');
      const incoming = wanted(await readIncoming(files, value), form);
      if (!incoming.some(({ role }) => role === 'panel')) throw new Invalid('panel_file_missing');
      if (await hasStrayPanelFile(storageDir, value)) throw new Conflict('panel_exists');
      await refuseTaken(db, incoming);
      if (!genome) throw new Invalid('panel_form_invalid', { field: 'genome' });
      const checked = await examine(db, value, genome, undefined, incoming);
      refuseInvalid(checked.files);
      const row: PanelRow = {
        id: randomUUID(),
        value,
        panel_group: '',
        active: true,
        is_default: false,
        group_list: null,
        instance_type: '',
        file_extensions: checked.panel!.bamAllowed ? ['fq', 'bam'] : ['fq'],
        ...form.fields,
        display_name: name,
        genome,
        files: await storeAll(value, checked.files, undefined),
        panel: checked.panel!,
        problems: [],
        status: {},
        created: now(),
        modified: now(),
      };
      await unique(() => withTransaction(db, (trx) => save(trx, row, undefined, actor)));
      return row.id;
    },
    change: async ({ id, scope, check }, form, files, actor) => {
      const { value, ...seen } = await readPanel(db, scope, { id });
      check({ value, ...seen });
      if (form.value !== undefined && form.value !== value) throw new Invalid('panel_value_fixed');
      if (form.fields.display_name === '') throw new Invalid('panel_display_name_required');
      const incoming = wanted(await readIncoming(files, value), form);
      await unique(() =>
        withTransaction(db, async (trx) => {
          // Locks first, because two changes that take the mark from each other would deadlock.
          if (form.fields.is_default)
            await trx.raw(`SELECT pg_advisory_xact_lock(hashtextextended('default-panel-type', 0))`);
          const before = await lockPanel(trx, scope, id);
          check(before);
          if (form.version !== undefined && form.version !== versionOf(before)) {
            const theirs = auditedPanel(before);
            throw changedElsewhere(versionOf(before), { ...theirs, ...form.fields }, theirs);
          }
          const existing = incoming.filter((file) => exists(before, file)).map(({ name }) => name);
          if (existing.length > 0 && !form.overwrite)
            throw new Conflict('panel_files_exist', { files: existing.join(', ') });
          const genome = form.fields.genome ?? before.genome;
          const checked = await examine(trx, value, genome, before, incoming);
          refuseInvalid(checked.files);
          const row: PanelRow = {
            ...before,
            ...form.fields,
            files: await storeAll(value, checked.files, before.files),
            panel: checked.panel ?? before.panel,
            problems: [],
            modified: now(),
          };
          await save(trx, row, before, actor);
        }),
      );
      await cleanUp(id);
    },
    check: async (value, genome, stored, files) =>
      (await examine(db, value, genome ?? stored?.genome ?? '', stored, await readIncoming(files, value))).files,
  };
}

async function unique<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const constraint = violatedConstraint(error);
    if (constraint === 'panel_type_display_name')
      throw new Conflict('panel_display_name_exists', undefined, { cause: error });
    if (constraint === 'panel_type_value') throw new Conflict('panel_value_exists', undefined, { cause: error });
    throw error;
  }
}

/** Whether the panel type has a file of this role (for parameters: of this name). */
export function exists(row: Pick<PanelRow, 'files'> | undefined, file: Pick<IncomingFile, 'role' | 'name'>): boolean {
  if (!row || file.role === 'unknown') return false;
  if (file.role === 'parameters') return row.files.parameters.some(({ name }) => name === file.name);
  return row.files[file.role] !== null;
}

const wanted = (incoming: IncomingFile[], form: PanelForm): IncomingFile[] =>
  incoming.filter(({ role }) => role !== 'parameters' || form.storeParameters);

/** Rejects a new control file whose name another panel type uses. */
async function refuseTaken(db: Knex, incoming: readonly IncomingFile[]): Promise<void> {
  const taken = async (role: 'control' | 'control_data', code: MessageCode) => {
    const file = incoming.find((one) => one.role === role);
    if (file && (await db('panel_type').whereRaw('files->?->>? = ?', [role, 'name', file.name]).first('id')))
      throw new Conflict(code);
  };
  await taken('control', 'control_exists');
  await taken('control_data', 'control_data_exists');
}

/** Rejects the call if any file is invalid, with the code of the first problem. Nothing is stored. */
function refuseInvalid(files: readonly CheckedFile[]): void {
  const problems = files.flatMap((file) => file.problems);
  const first = problems[0];
  if (first) throw Invalid.because(first.code as MessageCode, problems);
}

/** Returns the genome's contigs from its installed files, else from its status, or undefined while neither exists. */
async function readContigs(db: Knex, storageDir: string, genome: string): Promise<readonly Contig[] | undefined> {
  const row: GenomeRow | undefined = await db('genome').where({ value: genome }).first();
  if (!row) throw new Invalid('genome_unknown', { value: genome });
  try {
    return JSON.parse(await readText(placeIn(storageDir, installedGenome(genome)))).contigs as Contig[];
  } catch {
    const contigs = row.status.contigs; // at most 40, so usable only when the list is complete
    return contigs && contigs.length > 0 && contigs.length < 40 ? (contigs as Contig[]) : undefined;
  }
}
