/** The sequenced people of the demo, their planted variants and their depth. */

import type { Amplicon } from '@seqpanel/crds/panel.ts';
import type { DemoGenome } from './genome.ts';
import type { Random } from './random.ts';
import type { Planted } from './reads.ts';
import { byPlace, type Kind, plantVariants, type Variant } from './variants.ts';

export interface DemoSample {
  name: string;
  qcType: 'NTC' | 'PosCtrl' | 'Sample';
  role: 'germline' | 'tumor' | 'normal' | 'control';
  /** Mean number of fragments per amplicon. */
  depth: number;
  planted: Planted[];
  controlMaterial?: string;
  tumorContent?: number;
}

export interface DemoPeople {
  samples: DemoSample[];
  /** Common variants of the synthetic population with their frequency. They are also the identity sites. */
  common: { variant: Variant; frequency: number }[];
  somatic: Variant[];
  rare: Variant[];
  control: Planted[];
}

export const CONTROL_MATERIAL = 'DEMO-CTRL';

const SOMATIC: readonly [Kind, number][] = [
  ['snv', 0.3],
  ['snv', 0.2],
  ['snv', 0.12],
  ['snv', 0.08],
  ['snv', 0.05],
  ['mnv', 0.15],
  ['deletion', 0.25],
  ['deletion', 0.1],
  ['insertion', 0.12],
];
const CONTROL: readonly [Kind, number][] = [
  ['snv', 0.4],
  ['snv', 0.25],
  ['snv', 0.1],
  ['snv', 0.06],
  ['deletion', 0.2],
  ['mnv', 0.15],
];
const IDENTITY_SITES = 14;

const inherited = (variant: Variant, copies: 1 | 2, random: Random): Planted =>
  copies === 2 ? { variant, vaf: 1, haplotype: 'both' } : { variant, vaf: 0.5, haplotype: random.below(2) as 0 | 1 };
const inSome = (variants: readonly Variant[], table: readonly [Kind, number][]): Planted[] =>
  variants.map((variant, i) => ({ variant, vaf: table[i]![1], haplotype: 'some' }));

/** Plants the variants. No two variants are close together, in any person. */
export function makePeople(random: Random, genome: DemoGenome, amplicons: readonly Amplicon[]): DemoPeople {
  const taken: Variant[] = [];
  const plant = (kinds: readonly Kind[]): Variant[] => {
    const made = plantVariants(random, genome, amplicons, kinds, taken);
    taken.push(...made);
    return made;
  };
  const common = plant(Array.from({ length: IDENTITY_SITES }, () => 'snv' as const))
    .sort(byPlace)
    .map((variant) => ({ variant, frequency: 0.3 + random.below(21) / 100 }));
  const person = (): Planted[] =>
    common.flatMap(({ variant, frequency }) => {
      const copies = (random.next() < frequency ? 1 : 0) + (random.next() < frequency ? 1 : 0);
      return copies === 0 ? [] : [inherited(variant, copies === 2 ? 2 : 1, random)];
    });
  const rareOfOne = plant(['snv', 'deletion', 'insertion', 'mnv', 'snv']);
  const rareOfTwo = plant(['snv', 'deletion', 'snv']);
  const somatic = plant(SOMATIC.map(([kind]) => kind));
  const controlVariants = plant(CONTROL.map(([kind]) => kind));
  const first = [...person(), ...rareOfOne.map((v, i) => inherited(v, i === 4 ? 2 : 1, random))];
  const second = [...person(), ...rareOfTwo.map((v, i) => inherited(v, i === 2 ? 2 : 1, random))];
  const control = inSome(controlVariants, CONTROL);
  const samples: DemoSample[] = [
    { name: 'germline1', qcType: 'Sample', role: 'germline', depth: 250, planted: first },
    {
      name: 'tumor1',
      qcType: 'Sample',
      role: 'tumor',
      depth: 800,
      planted: [...second, ...inSome(somatic, SOMATIC)],
      tumorContent: 60,
    },
    { name: 'normal1', qcType: 'Sample', role: 'normal', depth: 300, planted: second },
    {
      name: 'posctrl1',
      qcType: 'PosCtrl',
      role: 'control',
      depth: 500,
      planted: [...person(), ...control],
      controlMaterial: CONTROL_MATERIAL,
    },
    { name: 'ntc1', qcType: 'NTC', role: 'control', depth: 0, planted: [] },
  ];
  return { samples, common, somatic, rare: [...rareOfOne, ...rareOfTwo], control };
}
