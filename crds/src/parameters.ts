/**
 * The advanced parameters that panels start from: form field, limits, default and the step that reads each. A panel
 * file may narrow the limits, change a default or omit a parameter. It cannot add keys that no step reads. Fractions
 * are 0 to 1, depths are fragments, other units are in `unit`.
 */

import type { PanelFile, ParameterDefinition } from './panel.ts';
import type { Preset } from './preset.ts';

type Value = ParameterDefinition['default'];
type Shipped<Key extends string, V extends Value> = ParameterDefinition & { key: Key; default: V };

const choice = <Key extends string>(
  key: Key,
  step: ParameterDefinition['step'],
  choices: string[],
  en: string,
  zh: string,
): Shipped<Key, string> => ({ key, type: 'choice', choices, default: choices[0]!, step, help: { en, zh } });

const integer = <Key extends string>(
  key: Key,
  step: ParameterDefinition['step'],
  [min, max, value]: [number, number, number],
  unit: string,
  en: string,
  zh: string,
): Shipped<Key, number> => ({ key, type: 'integer', unit, min, max, default: value, step, help: { en, zh } });

const number = <Key extends string>(
  key: Key,
  step: ParameterDefinition['step'],
  [min, max, value]: [number, number, number],
  unit: string,
  en: string,
  zh: string,
): Shipped<Key, number> => ({ key, type: 'number', unit, min, max, default: value, step, help: { en, zh } });

const toggle = <Key extends string>(
  key: Key,
  step: ParameterDefinition['step'],
  value: boolean,
  en: string,
  zh: string,
): Shipped<Key, boolean> => ({ key, type: 'boolean', default: value, step, help: { en, zh } });

const SHIPPED = [
  choice('aligner', 'reads', ['minimap2', 'bwa'], 'Aligner of FASTQ files.', 'FASTQ 文件的比对程序。'),
  choice(
    'primer_mode',
    'reads',
    ['clip', 'already_clipped'],
    'Whether primers are clipped from the reads, or were clipped before (BAM files).',
    '是否从读段中剪切引物，或引物已被剪切（BAM 文件）。',
  ),
  toggle('trim_adapters', 'reads', true, 'Trim adapters found by read overlap.', '按读段重叠去除接头。'),
  integer('min_read_length', 'reads', [20, 300, 30], 'bp', 'Shorter reads are left out.', '更短的读段不参与分析。'),
  integer('min_mapq', 'reads', [0, 60, 1], 'Phred', 'Lowest mapping quality counted.', '计数的最低比对质量。'),
  integer('min_baseq', 'reads', [0, 40, 20], 'Phred', 'Lowest base quality counted.', '计数的最低碱基质量。'),
  integer(
    'candidate_min_fragments',
    'reads',
    [1, 1000, 2],
    'fragments',
    'Fewest fragments with a change for it to be kept as a candidate.',
    '作为候选变异保留所需的最少片段数。',
  ),
  number(
    'ntc_max_fraction',
    'cohort',
    [0, 1, 0.02],
    'fraction',
    'Share of the run median depth that an NTC amplicon may reach.',
    'NTC 扩增子允许达到的批次中位深度比例。',
  ),
  number(
    'call_floor',
    'call',
    [0.001, 1, 0.01],
    'fraction',
    'Variant frequency under which nothing is called.',
    '低于此变异频率不检出。',
  ),
  number(
    'report_floor',
    'call',
    [0.001, 1, 0.02],
    'fraction',
    'Variant frequency under which a call is marked low_vaf.',
    '低于此变异频率的检出标记为 low_vaf。',
  ),
  integer(
    'min_depth',
    'call',
    [1, 100000, 50],
    'fragments',
    'Depth under which a call is marked low_depth.',
    '低于此深度的检出标记为 low_depth。',
  ),
  integer(
    'min_alt_fragments',
    'call',
    [1, 1000, 5],
    'fragments',
    'ALT fragments under which a call is marked low_alt.',
    '低于此 ALT 片段数的检出标记为 low_alt。',
  ),
  number(
    'min_quality',
    'call',
    [0, 40, 20],
    'Phred',
    'Quality (0 to 40) under which a call is marked low_quality.',
    '低于此质量值（0 至 40）的检出标记为 low_quality。',
  ),
  number(
    'strand_p',
    'call',
    [0, 1, 0.000001],
    'p',
    'Fisher p under which a call is marked strand_bias.',
    'Fisher 检验 p 值低于此值的检出标记为 strand_bias。',
  ),
  number(
    'hom_min_vaf',
    'call',
    [0.5, 1, 0.85],
    'fraction',
    'Frequency from which a call is homozygous.',
    '判为纯合的最低频率。',
  ),
  integer(
    'gap_depth',
    'qc',
    [1, 100000, 50],
    'fragments',
    'Depth under which a base is a coverage gap.',
    '低于此深度的碱基计为覆盖缺口。',
  ),
  integer(
    'slice_flank',
    'report',
    [50, 1000, 200],
    'bp',
    'Bases around a call kept for viewing.',
    '检出位点两侧保留用于查看的碱基数。',
  ),
  integer(
    'slice_reference_fragments',
    'report',
    [20, 5000, 100],
    'fragments',
    'Reference fragments kept for viewing at a call; ALT fragments are all kept.',
    '每个检出位点保留用于查看的参考片段数；ALT 片段全部保留。',
  ),
];

/** Every parameter a step reads, in the order of the form. */
export const SHIPPED_PARAMETERS: readonly ParameterDefinition[] = SHIPPED;

export type ParameterKey = (typeof SHIPPED)[number]['key'];
export type ParameterValue<Key extends ParameterKey> = Extract<(typeof SHIPPED)[number], { key: Key }>['default'];

const shippedByKey: ReadonlyMap<string, ParameterDefinition> = new Map(SHIPPED_PARAMETERS.map((p) => [p.key, p]));

/** The shipped definition of a key, or undefined for a key that no step reads. */
export function shippedParameter(key: string): ParameterDefinition | undefined {
  return shippedByKey.get(key);
}

/**
 * The value of every parameter for a task: the preset's, else the panel's default, else the shipped default. With the
 * preset's use-default switch on, its own values are ignored [PRESET-15].
 */
export function effectiveParameters(
  panel: Pick<PanelFile, 'parameters'>,
  preset: Pick<Preset, 'parameters'>,
): Record<string, Value> {
  const values: Record<string, Value> = {};
  for (const p of [...SHIPPED_PARAMETERS, ...panel.parameters]) values[p.key] = p.default;
  if (!preset.parameters.useDefault) Object.assign(values, preset.parameters.values);
  return values;
}

/**
 * The value of one parameter for a task, by the same order. A value of another type than the shipped default's is
 * ignored.
 */
export function parameterValue<Key extends ParameterKey>(
  key: Key,
  panel: Pick<PanelFile, 'parameters'>,
  preset: Pick<Preset, 'parameters'>,
): ParameterValue<Key> {
  const shipped = shippedByKey.get(key)!.default;
  const chosen = preset.parameters.useDefault ? undefined : preset.parameters.values[key];
  const value = chosen ?? panel.parameters.find((definition) => definition.key === key)?.default;
  return (typeof value === typeof shipped ? value : shipped) as ParameterValue<Key>;
}
