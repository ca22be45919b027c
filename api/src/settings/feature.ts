/** GET and PUT /constance: the settings with their types, defaults and times. */
import type { Knex } from 'knex';
import { type Actor, actorOf, changesBetween, writeAudit } from '../audit/write-audit.ts';
import type { SettingValue } from '../db/tables/configuration.ts';
import { withTransaction } from '../db/transaction.ts';
import type { AnswerOf, Deps, Feature } from '../feature.ts';
import { checkSetting, SETTINGS, type SettingDefinition } from './definitions.ts';
import { settingsChanged } from './settings-changed.ts';

export function createSettings({ db, now }: Deps): Feature {
  return {
    name: 'settings',
    routes: {
      getConstants: { role: 'staff', handle: async () => await listSettings(db) },
      putConstants: {
        role: 'staff',
        handle: async (call) => {
          const values = call.body.map(({ name, value }) => [name, checkSetting(name, value)] as const);
          await saveSettings(db, values, actorOf(call), now());
          return await listSettings(db);
        },
      },
    },
  };
}

async function listSettings(db: Knex): Promise<AnswerOf<'getConstants'>> {
  const stored = new Map((await db('setting')).map((row) => [row.name, row]));
  return (Object.entries(SETTINGS) as [string, SettingDefinition][]).map(([name, definition]) => ({
    name,
    tab: definition.tab,
    value: stored.get(name)?.value ?? definition.default,
    value_type: definition.type,
    ...(definition.choices && { choices: [...definition.choices] }),
    help_text: definition.help,
    raw_default: definition.default,
    modified: stored.get(name)?.modified.toISOString() ?? null,
  }));
}

async function saveSettings(
  db: Knex,
  values: readonly (readonly [string, SettingValue])[],
  actor: Actor,
  now: Date,
): Promise<void> {
  await withTransaction(db, async (trx) => {
    for (const [name, value] of values) {
      const before = await trx('setting').where({ name }).forUpdate().first('value');
      const from = before?.value ?? SETTINGS[name as keyof typeof SETTINGS].default;
      if (from === value) continue;
      await trx('setting')
        .insert({ name, value: JSON.stringify(value), modified: now })
        .onConflict('name')
        .merge();
      const changes = changesBetween({ value: from }, { value });
      await writeAudit(
        trx,
        { actor, resourceType: 'setting', resourceId: name, resource: name, action: 'update', changes },
        now,
      );
    }
    await settingsChanged(trx);
  });
}
