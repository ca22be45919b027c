/** Reads the stored value of a setting, or its default. */
import type { Knex } from 'knex';
import { SETTINGS, type SettingName, type SettingType } from './definitions.ts';

/** Returns the current value of a setting. */
export type ReadSettings = <N extends SettingName>(name: N) => Promise<SettingType<N>>;

export const createReadSettings =
  (db: Knex): ReadSettings =>
  async <N extends SettingName>(name: N) => {
    const row = await db('setting').where({ name }).first('value');
    return (row === undefined ? SETTINGS[name].default : row.value) as SettingType<N>;
  };
