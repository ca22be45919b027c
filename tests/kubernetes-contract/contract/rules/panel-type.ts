/** The rules of a PanelType: files below the storage root, and an immutable value. */
import { type BrokenRule, fullOf, ofSpec } from './broken-rule.ts';

const full = fullOf('PanelType');

export const PANEL_TYPE_RULES: BrokenRule[] = [
  ...['panel', 'control'].map((file) => ({
    what: `a path of the ${file} file that climbs`,
    object: full(`rule-${file}`, ({ files }) => Object.assign(files[file], { path: 'panels/../../etc/passwd' })),
    expected: `spec.files.${file}: Invalid value: "object": path must stay below the storage root`,
  })),
  {
    what: 'a path of a parameter file that climbs',
    object: full('rule-parameters', ({ files }) => Object.assign(files.parameters[0], { path: '../x' })),
    expected: 'spec.files.parameters[0]: Invalid value: "object": path must stay below the storage root',
  },
  {
    what: 'a file that is neither of a panel nor brought in',
    object: full('rule-folder', ({ files }) => Object.assign(files.panel, { path: 'projects/g/p/S1.json' })),
    expected: 'spec.files.panel: Invalid value: "object": path must be below panels/ or incoming/',
  },
  {
    what: 'a change of value',
    object: full('rule-value'),
    change: ofSpec((spec) => Object.assign(spec, { value: 'Other' })),
    expected: 'spec.value: cannot be changed; create a new panel type instead',
  },
];
