/** Objects, texts and bodies of the laboratory that requests use. */
import { randomUUID } from 'node:crypto';
import type { TestApi } from '../../api/test-support/api.ts';
import type { CompletedTask } from '../../api/test-support/completed-task.ts';
import { PANEL } from '../../api/test-support/laboratory.ts';
import type { Callers } from '../../api/test-support/rights-callers.ts';
import { freshObject, type Objects } from '../../api/test-support/rights-objects.ts';
import { actingRequest, QUERIES } from '../../api/test-support/rights-requests.ts';
import type { FuzzSubject } from './requests.ts';

const BED = '17\t100\t300\tA1\n17\t400\t600\tA2\n';
const NEW_PANEL = { ...PANEL, value: 'new_panel', displayName: 'New' };

const FORMS: FuzzSubject['realForms'] = {
  createPanelType: {
    display_name: 'New',
    value: NEW_PANEL.value,
    genome: PANEL.genome.value,
    panel_file: ['new_panel.json', JSON.stringify(NEW_PANEL)],
  },
  updatePanelType: { panel_group: 'blood', display_name: PANEL.displayName },
  classifyPanelFiles: { value: PANEL.value, panel_file: ['toy_panel.json', JSON.stringify(PANEL)] },
  importPanel: { value: 'made', genome: PANEL.genome.value, file: ['design.bed', BED] },
};

const FILE_CONTENTS: FuzzSubject['fileContents'] = [
  PANEL,
  NEW_PANEL,
  '[amplicons]\namplicon\tcopies\nA1\t2\n',
  BED,
  '17\t100\t120\t17\t280\t300\tA1\n',
];

const TEXTS = ['S1', 'S1_R1.fastq', 'run-1', 'panel-1.0.0', 'TP53', '17:130', 'completed', 'A1'];

export async function fuzzSubject(
  api: TestApi,
  task: CompletedTask,
  objects: Objects,
  callers: Callers,
): Promise<FuzzSubject> {
  const { lab } = task;
  const { otherGroup, member, tokens } = callers;
  const spare = {
    task: await freshObject(api, task, 'task'),
    project: await freshObject(api, task, 'project'),
    file: await lab.addFile('S8_R1.fastq'),
    preset: await freshObject(api, task, 'preset'),
    pipeline: await freshObject(api, task, 'pipeline'),
  };
  const ids = [...Object.values(objects), ...Object.values(spare)].filter((id) => /^[0-9a-f-]{36}$/.test(id));
  // A separate session for calls that would end a caller's session.
  const leaver = await api.addUser({ groups: { [otherGroup]: 'member' } });
  const groupPath = `/api/v1/pivat/admin/groups/${objects.group}`;
  const { version } = (await api.call('GET', groupPath, { token: tokens.staff })).body;
  const bodies: Record<string, unknown> = {
    login: { username: leaver.username, password: leaver.password },
    refreshToken: { refresh: leaver.refresh },
    verifyToken: { token: leaver.token },
    updateGroup: { version, display_name: 'Laboratory' },
  };
  return {
    document: api.document,
    objects,
    otherGroup,
    known: {
      ids: [...ids, member.id, otherGroup, randomUUID()],
      texts: [...TEXTS, PANEL.value, PANEL.genome.value, member.username],
    },
    spare,
    realBody: (place) => bodies[place.id] ?? actingRequest(place, objects.group, objects, lab).options.body ?? {},
    realQueries: { ...QUERIES, downloadProjectFile: `token=${tokens['file token']}` },
    realForms: FORMS,
    fileContents: FILE_CONTENTS,
  };
}
