/** Defines the settings ("constants"): type, default and help of each. */

import { emailProblem } from '@seqpanel/crds/account-rules.ts';
import type { SettingValue } from '../db/tables/configuration.ts';
import { type AppError, Invalid } from '../errors.ts';

export type SettingTab = 'basic' | 'file_copy' | 'pipeline' | 'email' | 'cloud';

export interface SettingDefinition {
  tab: SettingTab;
  type: 'string' | 'integer' | 'positive_integer' | 'number' | 'boolean' | 'email' | 'choice' | 'text';
  choices?: readonly string[];
  default: SettingValue;
  /** Maximum of an integer. */
  max?: number;
  help: string;
}

export const SETTINGS = {
  auto_logout_timeout: {
    tab: 'basic',
    type: 'positive_integer',
    default: 30,
    help: 'Minutes of inactivity after which a session is logged out, unless the user has set their own.',
  },
  max_files_per_batch: {
    tab: 'basic',
    type: 'positive_integer',
    default: 100,
    help: 'Maximum number of files in one upload.',
  },
  password_expiry_days: {
    tab: 'basic',
    type: 'integer',
    default: 0,
    help: 'Days after which a password should be changed. 0: never. A notice appears 14 days before.',
  },
  open_tasks_per_group: {
    tab: 'pipeline',
    type: 'integer',
    default: 500,
    help: 'Maximum number of queued, starting and running tasks per group. 0: no limit.',
  },
  preset_saves_per_hour: {
    tab: 'pipeline',
    type: 'integer',
    default: 200,
    help: 'Maximum number of times per hour that a user may save or delete parameters files. 0: no limit.',
  },
  finished_task_days: {
    tab: 'pipeline',
    type: 'integer',
    default: 3,
    max: 10_000,
    help: 'Days after which the resource of a finished task is removed from the cluster. 0: never. Results and history are kept.',
  },
  group_pods: {
    tab: 'pipeline',
    type: 'integer',
    default: 0,
    max: 1_000_000,
    help: 'Maximum number of running pods per group. 0: no limit. Until it is set, the Helm value tasks.groupPods applies.',
  },
  total_pods: {
    tab: 'pipeline',
    type: 'integer',
    default: 0,
    max: 1_000_000,
    help: 'Maximum number of running pods of all groups together. 0: no limit. Until it is set, the Helm value tasks.totalPods applies.',
  },
  genome_url_hosts: {
    tab: 'pipeline',
    type: 'string',
    default: '',
    help:
      'Hosts, comma-separated, from which a genome may be installed by https URL; empty switches this off. ' +
      'The cluster must allow them too: Helm value genomes.hosts.',
  },
  support_email: {
    tab: 'email',
    type: 'email',
    default: '',
    help: 'Address shown to users without a group, to ask for access. Empty: no address is shown.',
  },
} as const satisfies Readonly<Record<string, SettingDefinition>>;

export type SettingName = keyof typeof SETTINGS;
export type SettingType<N extends SettingName> = (typeof SETTINGS)[N]['default'] extends number
  ? number
  : (typeof SETTINGS)[N]['default'] extends boolean
    ? boolean
    : string;

export const isSettingName = (name: string): name is SettingName => Object.hasOwn(SETTINGS, name);

/** Returns the value to store. Throws Invalid when it is not of the setting's type. Accepts a number as text. */
export function checkSetting(name: string, input: unknown): SettingValue {
  if (!isSettingName(name)) throw new Invalid('setting_unknown', { name });
  const { type, choices, max } = SETTINGS[name] as SettingDefinition;
  const number = typeof input === 'string' && input.trim() !== '' ? Number(input) : input;
  const wrongType = (): AppError => new Invalid('setting_type', { name, type: type.replace('_', ' ') });
  switch (type) {
    case 'positive_integer':
      if (!Number.isSafeInteger(number) || (number as number) < 1)
        throw new Invalid('setting_positive_integer', { name });
      return number as number;
    case 'integer':
      if (!Number.isSafeInteger(number) || (number as number) < 0) throw wrongType();
      if (max !== undefined && (number as number) > max) throw new Invalid('setting_too_large', { name, max });
      return number as number;
    case 'number':
      if (typeof number !== 'number' || !Number.isFinite(number)) throw wrongType();
      return number;
    case 'boolean':
      if (typeof input !== 'boolean') throw wrongType();
      return input;
    case 'email':
      if (typeof input !== 'string' || (input !== '' && emailProblem(input)))
        throw new Invalid('setting_email', { name });
      return input;
    case 'choice':
      if (typeof input !== 'string' || !choices?.includes(input)) {
        throw new Invalid('setting_choice', { name, choices: choices?.join(', ') });
      }
      return input;
    default:
      if (typeof input !== 'string' || input.length > 10_000) throw wrongType();
      return input;
  }
}
