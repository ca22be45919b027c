/** Calls that create and change a panel type, and reads of their effects. */

import { type Answer, startApi, type TestApi, type TestUser } from './api.ts';
import { addGenome, aPanel, type FormFile, GENOME, panelFileOf, panelForm } from './panels.ts';

export const PANEL_TYPES = '/api/v1/pivat/admin/panel_types';

type Fields = Record<string, string | undefined>;
type Files = Record<string, FormFile | FormFile[] | undefined>;

export interface PanelTypeCalls {
  /** Caller, unless another user is given. */
  staff: TestUser;
  /** Default of `files`: a valid panel file of that value. */
  create(value: string, fields?: Fields, files?: Files, user?: TestUser): Promise<Answer>;
  change(id: string, fields: Fields, files?: Files, user?: TestUser): Promise<Answer>;
  /** Intents for the panel type of that value. */
  intents(value: string): Promise<unknown[]>;
  /** Audit log entries of the panel type, oldest first. */
  audits(id: string): Promise<unknown[]>;
}

/** Declares the hooks: all tests of a file share an API with the genome of the panels. */
export function panelTypeTests(): { api: TestApi; panels: PanelTypeCalls } {
  const held = {} as { api: TestApi; panels: PanelTypeCalls };
  beforeAll(async () => {
    held.api = await startApi();
    held.panels = await panelTypeCalls(held.api);
  });
  afterAll(() => held.api.close());
  return held;
}

/** Adds the genome of the panels and a staff user. */
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
