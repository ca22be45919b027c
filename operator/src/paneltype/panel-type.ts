/** Checks a PanelType: its panel file and control file parse and agree, and its genome is installed. */

import type { Genome, PanelType } from '@seqpanel/crds/kinds.ts';
import { PANEL_TYPES, type Stored } from '@seqpanel/crds/kube/objects.ts';
import { isBelow, PANEL_SOURCES, panelFolders } from '@seqpanel/crds/storage.ts';
import type { Checked, CheckKind } from '../check/check-kind.ts';
import { READY } from '../check/check-kind.ts';
import { sourceFolders } from '../check/source-folders.ts';
import { findCondition } from '../kube/conditions.ts';

export type CheckedPanelType = PanelType & Checked;

const TEN_MINUTES = 600;

const pathsOf = ({ panel, control, parameters = [] }: PanelType['spec']['files']): string[] =>
  [panel, control, ...parameters].flatMap((file) => file?.path ?? []);

/** `genomeOf` returns the Genome that a panel type names, in its namespace. */
export const panelTypeCheck = (
  genomeOf: (panelType: Stored<CheckedPanelType>) => Genome | undefined,
): CheckKind<CheckedPanelType> => ({
  resource: PANEL_TYPES as CheckKind<CheckedPanelType>['resource'],
  step: 'check-panel',
  specFile: 'panel-type.json',
  cpu: '100m',
  memory: 512 * 2 ** 20,
  validMessage: 'The panel file and the control file are valid and agree.',
  timeoutSeconds: TEN_MINUTES,
  component: () => 'check',
  folders: ({ spec }) => {
    const own = [
      ...panelFolders(spec).map((path) => ({ path, readOnly: false })),
      { path: 'references', readOnly: true },
    ];
    return [...own, ...sourceFolders(pathsOf(spec.files), own)];
  },
  refuse: ({ spec }) => {
    const outside = pathsOf(spec.files).find((path) => !isBelow(PANEL_SOURCES, path));
    if (outside === undefined) return undefined;
    return { reason: 'PathNotAllowed', message: `"${outside}" is not below panels/ or incoming/.` };
  },
  content: (panelType) => {
    const genome = genomeOf(panelType);
    const contigs = genome?.status?.contigs;
    const { value, genome: named, files } = panelType.spec;
    return {
      name: panelType.metadata.name,
      // Only what the check reads: a new display name does not trigger another check.
      spec: { value, genome: named, files },
      ...(genome && contigs && { genome: { value: genome.spec.value, contigs } }),
    };
  },
  ready: (panelType) => {
    const genome = genomeOf(panelType);
    const name = panelType.spec.genome;
    if (!genome) return { status: 'False', reason: 'GenomeMissing', message: `Genome ${name} does not exist.` };
    const ready = findCondition(genome.status?.conditions, READY);
    if (ready?.status !== 'True') {
      const message = `Genome ${name} is not ready: ${ready?.message ?? 'it is not checked yet.'}`;
      return { status: 'False', reason: 'GenomeNotReady', message };
    }
    return { status: 'True', reason: 'Ready', message: `Genome ${name} and its indexes are installed.` };
  },
});
