/** Reads settings for the rest of the api: what is stored, else the default. */
import type { Knex } from 'knex';
import { SETTINGS, type SettingName, type SettingType } from './definitions.ts';

/** The value of one setting as it is now. */
export type ReadSettings = <N extends SettingName>(name: N) => Promise<SettingType<N>>;

export const createReadSettings =
  (db: Knex): ReadSettings =>
  async <N extends SettingName>(name: N) => {
    const row = await db('setting').where({ name }).first('value');
    return (row === undefined ? SETTINGS[name].default : row.value) as SettingType<N>;
  };
