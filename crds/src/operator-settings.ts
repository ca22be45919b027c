/**
 * Settings that the operator reads while running. The api writes them from its settings table to a ConfigMap, which the
 * operator watches. Without it the operator uses its environment.
 */
import { z } from 'zod';

export const OPERATOR_SETTINGS_NAME = 'seqpanel-settings';
/** Key of the ConfigMap's data that holds the settings as JSON. */
export const OPERATOR_SETTINGS_KEY = 'settings.json';

const OperatorSettings = z.object({
  /** Days after ingest until the resource of a finished task is deleted. 0: never. */
  finishedTaskDays: z.number().int().min(0).max(10_000),
  /** Most running pods of a group. 0: no limit. */
  groupPods: z.number().int().min(0).max(1_000_000),
  /** Most running pods of all groups together. 0: no limit. */
  totalPods: z.number().int().min(0).max(1_000_000),
  /** Admissions of a group per round, by group id. Default: 1. */
  groupWeights: z.record(z.string().max(100), z.number().int().min(1).max(100)),
});

/** All fields are optional. A missing setting keeps the operator's default. */
export type OperatorSettings = Partial<z.output<typeof OperatorSettings>>;

/** Returns the data of the ConfigMap. */
export const encodeOperatorSettings = (settings: OperatorSettings): Record<string, string> => ({
  [OPERATOR_SETTINGS_KEY]: JSON.stringify(settings),
});

/** Reads the data of the ConfigMap. Throws an Error that names the invalid setting. */
export function decodeOperatorSettings(data: Readonly<Record<string, string>> | undefined): OperatorSettings {
  const text = data?.[OPERATOR_SETTINGS_KEY];
  if (text === undefined) return {};
  const parsed = OperatorSettings.partial().safeParse(JSON.parse(text));
  if (parsed.success) return parsed.data as OperatorSettings;
  throw new Error(parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '));
}
