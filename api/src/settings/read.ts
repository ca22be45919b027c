/** Reads the stored value of a setting, or its default. */
import type { Knex } from 'knex';
import type { SettingValue } from '../db/tables/configuration.ts';
import { SETTINGS, type SettingName, type SettingType } from './definitions.ts';

/** Returns the current value of a setting. */
export type ReadSettings = <N extends SettingName>(name: N) => Promise<SettingType<N>>;

/** Returns the stored value, or the default when none is stored. */
export const settingOf = <N extends SettingName>(name: N, stored: SettingValue | undefined): SettingType<N> =>
  (stored ?? SETTINGS[name].default) as SettingType<N>;

export const createReadSettings =
  (db: Knex): ReadSettings =>
  async (name) =>
    settingOf(name, (await db('setting').where({ name }).first('value'))?.value);
