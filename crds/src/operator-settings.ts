/**
 * The settings that the operator needs while it runs. The api writes them from its settings table into one ConfigMap; the
 * operator watches that object. Without it the operator uses the values of its environment.
 */
import { z } from 'zod';

export const OPERATOR_SETTINGS_NAME = 'seqpanel-settings';
/** Key of the ConfigMap's data that holds the settings as JSON. */
export const OPERATOR_SETTINGS_KEY = 'settings.json';

const OperatorSettings = z.object({
  /** Days after ingest until the resource of a finished task is deleted; 0 keeps it. */
  finishedTaskDays: z.number().int().min(0).max(10_000),
  /** Running pods a group may have; 0 is no limit. */
  groupPods: z.number().int().min(0).max(1_000_000),
  /** Running pods of all groups together; 0 is no limit. */
  totalPods: z.number().int().min(0).max(1_000_000),
  /** Turns of a group in a round of admission, by group id; a group that is missing has 1. */
  groupWeights: z.record(z.string().max(100), z.number().int().min(1).max(100)),
});

/** All optional: a setting that is missing keeps the operator's own default. */
export type OperatorSettings = Partial<z.output<typeof OperatorSettings>>;

/** Returns the data of the ConfigMap. */
export const encodeOperatorSettings = (settings: OperatorSettings): Record<string, string> => ({
  [OPERATOR_SETTINGS_KEY]: JSON.stringify(settings),
});

/** Reads the data of the ConfigMap. Throws an Error that names the setting that is not valid. */
export function decodeOperatorSettings(data: Readonly<Record<string, string>> | undefined): OperatorSettings {
  const text = data?.[OPERATOR_SETTINGS_KEY];
  if (text === undefined) return {};
  const parsed = OperatorSettings.partial().safeParse(JSON.parse(text));
  if (parsed.success) return parsed.data as OperatorSettings;
  throw new Error(parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '));
}
