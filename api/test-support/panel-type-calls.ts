/** The calls by which a panel type is made and changed, and what they leave. */

import { type Answer, startApi, type TestApi, type TestUser } from './api.ts';
import { addGenome, aPanel, type FormFile, GENOME, panelFileOf, panelForm } from './panels.ts';

export const PANEL_TYPES = '/api/v1/pivat/admin/panel_types';

type Fields = Record<string, string | undefined>;
type Files = Record<string, FormFile | FormFile[] | undefined>;

export interface PanelTypeCalls {
  /** Makes the calls, where no other user is given. */
  staff: TestUser;
  /** Without `files` a panel of that value. */
  create(value: string, fields?: Fields, files?: Files, user?: TestUser): Promise<Answer>;
  change(id: string, fields: Fields, files?: Files, user?: TestUser): Promise<Answer>;
  /** What the cluster is to be told of the panel type of that value. */
  intents(value: string): Promise<unknown[]>;
  /** Its entries of the audit log, oldest first. */
  audits(id: string): Promise<unknown[]>;
}

/** For the tests of a file: an API with the genome of the panels, there from before the first until after the last. */
export function panelTypeTests(): { api: TestApi; panels: PanelTypeCalls } {
  const held = {} as { api: TestApi; panels: PanelTypeCalls };
  beforeAll(async () => {
    held.api = await startApi();
    held.panels = await panelTypeCalls(held.api);
  });
  afterAll(() => held.api.close());
  return held;
}

/** Adds the genome of the panels and a member of staff. */
async function panelTypeCalls(api: TestApi): Promise<PanelTypeCalls> {
  const { db } = api.deps;
  await addGenome(db);
  const staff = await api.addUser({ staff: true });
  return {
    staff,
    create: (value, fields = {}, files = { panel_file: panelFileOf(aPanel(value)) }, user = staff) =>
      api.call('POST', PANEL_TYPES, {
        token: user.token,
        form: panelForm({ display_name: `Panel ${value}`, value, genome: GENOME, ...fields }, files),
      }),
    change: (id, fields, files = {}, user = staff) =>
      api.call('PUT', `${PANEL_TYPES}/${id}`, { token: user.token, form: panelForm(fields, files) }),
    intents: async (value) =>
      (
        await db('outbox')
          .where({ object: `PanelType/${value}` })
          .orderBy('id')
      ).map(({ intent }) => intent),
    audits: (id) => db('audit_log').where({ resource_id: id }).orderBy('created'),
  };
}
