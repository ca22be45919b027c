/** Creates, changes and deletes parameters files. */
import { randomUUID } from 'node:crypto';
import type { MessageCode } from '@seqpanel/crds/messages.ts';
import type { Preset } from '@seqpanel/crds/preset.ts';
import { presetProblems } from '@seqpanel/crds/preset-rules.ts';
import type { Knex } from 'knex';
import { type Actor, changesBetween, changesOfNew, writeAudit } from '../audit/write-audit.ts';
import type { PresetTable } from '../db/tables/configuration.ts';
import { violatedConstraint, withTransaction } from '../db/transaction.ts';
import { AppError, Conflict, Invalid, NotFound } from '../errors.ts';
import { readPanel } from '../panel-types/panel-store.ts';
import type { ReadSettings } from '../settings/read.ts';

const HOUR_MS = 3_600_000;

export interface PresetService {
  /** `copyOf`: the preset of "save as new". The copy needs another name. */
  create(groupId: string, content: Preset, copyOf: string | undefined, actor: Actor): Promise<string>;
  update(groupId: string, id: string, content: Preset, actor: Actor): Promise<void>;
  remove(groupId: string, id: string, actor: Actor): Promise<void>;
}

export function createPresetService(db: Knex, settings: ReadSettings, now: () => Date): PresetService {
  /** Returns the panel type of the content. Throws the content's problems. */
  async function panelOf(groupId: string, content: Preset): Promise<string> {
    const row = await readPanel(db, { groups: [groupId] }, { value: content.panel });
    if (!row.panel) throw new Invalid('panel_unavailable');
    const problems = presetProblems(content, row.panel);
    if (problems.length > 0)
      throw Invalid.because(codeFor(problems.map(({ field, code }) => ({ field, code }))), problems);
    return row.id;
  }

  /** Counts audit entries, one per save, so that the limit covers all processes. */
  async function checkRate(trx: Knex, userId: string | null): Promise<void> {
    const limit = await settings('preset_saves_per_hour');
    if (limit === 0 || userId === null) return;
    await trx.raw('SELECT pg_advisory_xact_lock(hashtextextended(?, 0))', [`preset-saves:${userId}`]);
    const recent = await trx('audit_log')
      .where({ user_id: userId, resource_type: 'preset' })
      .where('created', '>', new Date(now().getTime() - HOUR_MS))
      .count({ count: '*' })
      .first();
    if (Number(recent?.count) >= limit) throw new AppError(429, 'preset_saves_exceeded', { limit });
  }

  return {
    create: async (groupId, content, copyOf, actor) => {
      if (copyOf !== undefined) {
        const base = await db('preset').where({ id: copyOf, group_id: groupId }).whereNull('deleted').first('name');
        if (!base) throw new Invalid('preset_base_missing');
        if (base.name === content.name) throw new Invalid('preset_name_unchanged');
      }
      const panel = await panelOf(groupId, content);
      const id = randomUUID();
      const row = {
        id,
        group_id: groupId,
        panel_type_id: panel,
        name: content.name,
        pipeline_version: content.pipelineVersion,
      };
      await unique(() =>
        withTransaction(db, async (trx) => {
          await checkRate(trx, actor.userId);
          const times = { created: now(), modified: now() };
          await trx('preset').insert({ ...row, content: JSON.stringify(content), owner_id: actor.userId!, ...times });
          const entry = { actor, resourceType: 'preset', resourceId: id, resource: content.name } as const;
          await writeAudit(trx, { ...entry, action: 'create', changes: changesOfNew({ ...content }) }, now());
        }),
      );
      return id;
    },
    update: async (groupId, id, content, actor) => {
      const panel = await panelOf(groupId, content);
      await unique(() =>
        withTransaction(db, async (trx) => {
          await checkRate(trx, actor.userId);
          const before = await lock(trx, groupId, id);
          const changes = changesBetween({ ...before.content }, { ...content });
          if (changes.length === 0) return; // a version identifies a content
          const version = before.version + 1;
          changes.push({ field: 'version', from: before.version, to: version });
          await trx('preset')
            .where({ id })
            .update({
              name: content.name,
              panel_type_id: panel,
              pipeline_version: content.pipelineVersion,
              content: JSON.stringify(content),
              version,
              modified: now(),
            });
          const entry = { actor, resourceType: 'preset', resourceId: id, resource: content.name } as const;
          await writeAudit(trx, { ...entry, action: 'update', changes }, now());
        }),
      );
    },
    remove: async (groupId, id, actor) => {
      await withTransaction(db, async (trx) => {
        await checkRate(trx, actor.userId);
        const before = await lock(trx, groupId, id);
        await trx('preset').where({ id }).update({ deleted: now() });
        const entry = { actor, resourceType: 'preset', resourceId: id, resource: before.name } as const;
        await writeAudit(trx, { ...entry, action: 'delete', changes: [] }, now());
      });
    },
  };
}

/**
 * Returns the code of the answer: the problem's own for a single problem, a name or a blank ROI, else "fix the form".
 */
function codeFor(problems: readonly { field: string; code: MessageCode }[]): MessageCode {
  const first = problems[0]!;
  const speaks = problems.length === 1 || first.field === 'name' || first.field === 'roi';
  // A text with placeholders cannot be filled from the list of problems.
  return speaks && !/roi_(amplicon|outside)|number_m|choice/.test(first.code) ? first.code : 'preset_invalid';
}

async function lock(trx: Knex, groupId: string, id: string): Promise<PresetTable> {
  const row = await trx('preset').where({ id, group_id: groupId }).whereNull('deleted').forUpdate().first();
  if (!row) throw new NotFound();
  return row;
}

async function unique<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (violatedConstraint(error)) throw new Conflict('preset_name_exists', undefined, { cause: error });
    throw error;
  }
}
