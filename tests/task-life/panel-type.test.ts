import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { API_VERSION, type PanelType } from '@seqpanel/crds/kinds.ts';
import { PANEL_TYPES } from '@seqpanel/crds/kube/objects.ts';
import { panelDir } from '@seqpanel/crds/storage.ts';
import type { TestUser } from '../../api/test-support/api.ts';
import { addGenome, aPanel, GENOME, panelFileOf, panelForm } from '../../api/test-support/panels.ts';
import { aStage, eventually, type Stage, signal } from './stage.ts';

let stage: Stage;
let staff: TestUser;
beforeAll(async () => {
  stage = await aStage();
  await addGenome(stage.apis[0]!.deps.db);
  staff = await stage.apis[0]!.addUser({ staff: true });
});
afterAll(() => stage.close());

const call = (method: string, path: string, options = {}) =>
  stage.apis[0]!.call(method, `/api/v1/pivat/admin/${path}`, { token: staff.token, ...options });
const resources = async () => (await stage.kube.list(PANEL_TYPES, { signal })).items;

describe('a panel type is a resource of the cluster', () => {
  test('[K8S-12] created and changed by a call it exists in the cluster; created with kubectl it is listed by the api', async () => {
    const fields = { display_name: 'By a call', value: 'called', genome: GENOME };
    const made = await call('POST', 'panel_types/', {
      form: panelForm(fields, { panel_file: panelFileOf(aPanel('called')) }),
    });
    expect(made.status).toBe(201);
    const [resource] = await eventually(resources, (items) => items.length === 1);
    expect(resource!.spec).toMatchObject({
      displayName: 'By a call',
      value: 'called',
      files: { panel: { sha256: expect.stringMatching(/^[0-9a-f]{64}$/) } },
    });
    await call('PUT', `panel_types/${made.body.id}`, { form: panelForm({ display_name: 'Renamed' }, {}) });
    await eventually(resources, (items) => items[0]?.spec.displayName === 'Renamed');

    const text = JSON.stringify(aPanel('applied'));
    const path = `${panelDir('applied')}/applied.json`;
    mkdirSync(join(stage.storageDir, panelDir('applied')), { recursive: true });
    writeFileSync(join(stage.storageDir, path), text);
    await stage.kube.create(
      PANEL_TYPES,
      {
        apiVersion: API_VERSION,
        kind: 'PanelType',
        metadata: { name: 'applied' },
        spec: {
          displayName: 'With kubectl',
          value: 'applied',
          genome: GENOME,
          files: { panel: { path, sha256: createHash('sha256').update(text).digest('hex') } },
        },
      } as PanelType,
      { signal },
    );
    const { results } = await eventually(
      async () => (await call('GET', 'panel_types/')).body,
      ({ count }) => count === 2,
    );
    expect(results.sort((a: PanelType['spec'], b: PanelType['spec']) => (a.value < b.value ? -1 : 1))).toMatchObject([
      { value: 'applied', display_name: 'With kubectl', amplicons: 2 },
      { value: 'called', display_name: 'Renamed', amplicons: 2 },
    ]);
  });
});
