import { SETTINGS } from '../testing/decision-input.ts';
import { type CheckedPanelType, panelTypeCheck } from './panel-type.ts';

const kind = panelTypeCheck(() => undefined);
const file = (path: string) => ({ path, sha256: 'a'.repeat(64) });
const aPanel = (...paths: string[]) =>
  ({
    metadata: { name: 'a', uid: 'u', resourceVersion: '1', creationTimestamp: '' },
    spec: {
      value: 'A',
      displayName: 'A',
      genome: 'g',
      files: { panel: file(paths[0]!), parameters: paths.slice(1).map(file) },
    },
  }) as unknown as Parameters<typeof kind.folders>[0] & CheckedPanelType;
const settings = { genomeHosts: [], pod: SETTINGS.job } as never;

test('the check of a panel writes to its own folder and reads only references and the folders of its files', () => {
  expect(kind.folders(aPanel('panels/A/A.json', 'incoming/lab/p.json', 'panels/B/p.json'))).toEqual([
    { path: 'panels/A', readOnly: false },
    { path: 'references', readOnly: true },
    { path: 'incoming/lab', readOnly: true },
    { path: 'panels/B', readOnly: true },
  ]);
});

test('files of projects and tasks are not read, whatever the definition names', () => {
  expect(kind.refuse?.(aPanel('panels/A/A.json', 'incoming/p.json'), settings)).toBeUndefined();
  expect(kind.refuse?.(aPanel('panels/A/A.json', 'projects/g/p/x.json'), settings)).toMatchObject({
    reason: 'PathNotAllowed',
    message: '"projects/g/p/x.json" is not below panels/ or incoming/.',
  });
});
