import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Answer } from '../../test-support/api.ts';
import { completedTask } from '../../test-support/completed-task.ts';
import { CALLERS, type CallerName, type Callers, LIVE, rightsCallers } from '../../test-support/rights-callers.ts';
import { freshObject, laboratoryObjects, noObjects, type Objects } from '../../test-support/rights-objects.ts';
import {
  actingRequest,
  harmlessRequest,
  type OperationPlace,
  placesOf,
  type RightsRequest,
  USES_UP,
} from '../../test-support/rights-requests.ts';
import { tableContents } from '../../test-support/table-contents.ts';
import { buildDocument } from '../openapi/document.ts';

/** `password`: 403 password_change_required. */
type Outcome = 'in' | 401 | 403 | 404 | 'password';
type Outcomes = Record<CallerName, Outcome>;

type Row<T extends readonly unknown[]> = { [i in keyof T]: Outcome };

/** Takes the outcomes in the order of LIVE. Callers without a live session get the first outcome. */
function row(noSession: Outcome, ...live: Row<typeof LIVE>): Outcomes {
  const outcomes = new Map<CallerName, Outcome>(LIVE.map((caller, i) => [caller, live[i]!]));
  return Object.fromEntries(CALLERS.map((caller) => [caller, outcomes.get(caller) ?? noSession])) as Outcomes;
}

/** Outcomes for an object of the laboratory's group. Calls with a group in their path use that group. */
const OUTCOMES = {
  // no session, member, group admin, other member, other admin, staff, superuser, demo account, one-time password
  PUBLIC: row('in', 'in', 'in', 'in', 'in', 'in', 'in', 'in', 'in'),
  /** Called without a file token in the URL. */
  FILE_TOKEN: row(401, 401, 401, 401, 401, 401, 401, 401, 'password'),
  USER: row(401, 'in', 'in', 'in', 'in', 'in', 'in', 'in', 'password'),
  /** Allowed for users who must change their password. */
  SESSION: row(401, 'in', 'in', 'in', 'in', 'in', 'in', 'in', 'in'),
  OWN_PASSWORD: row(401, 'in', 'in', 'in', 'in', 'in', 'in', 403, 'in'),
  OWN_ACCOUNT: row(401, 'in', 'in', 'in', 'in', 'in', 'in', 403, 'password'),
  MEMBER: row(401, 'in', 'in', 404, 404, 404, 404, 'in', 'password'),
  /** The member's own upload. */
  UPLOADER: row(401, 'in', 404, 404, 404, 404, 404, 404, 'password'),
  STAFF_OR_GROUP_ADMIN: row(401, 403, 'in', 403, 'in', 'in', 'in', 403, 'password'),
  STAFF_OR_GROUP_ADMIN_OR_DEMO: row(401, 403, 'in', 403, 'in', 'in', 'in', 'in', 'password'),
  /** A panel type limited to the laboratory's group. */
  PANEL_READER: row(401, 403, 'in', 403, 404, 'in', 'in', 'in', 'password'),
  PANEL_MANAGER: row(401, 403, 'in', 403, 404, 'in', 'in', 403, 'password'),
  STAFF: row(401, 403, 403, 403, 403, 'in', 'in', 403, 'password'),
  STAFF_OR_DEMO: row(401, 403, 403, 403, 403, 'in', 'in', 'in', 'password'),
};

/** Written by hand on purpose, so that it does not follow the document's x-role. */
const RIGHTS: Readonly<Record<string, keyof typeof OUTCOMES>> = {
  abortAnyTask: 'STAFF',
  abortTask: 'MEMBER',
  activatePipeline: 'STAFF',
  beginSso: 'PUBLIC',
  cancelAnyJob: 'STAFF',
  cancelJob: 'MEMBER',
  cancelUpload: 'UPLOADER',
  changePassword: 'OWN_PASSWORD',
  checkLaunch: 'MEMBER',
  checkRerun: 'MEMBER',
  classifyPanelFiles: 'STAFF_OR_GROUP_ADMIN',
  continueUpload: 'UPLOADER',
  createGenome: 'STAFF_OR_DEMO',
  createGroup: 'STAFF_OR_DEMO',
  createPanelType: 'STAFF_OR_GROUP_ADMIN_OR_DEMO',
  createPreset: 'MEMBER',
  createProject: 'MEMBER',
  createUpload: 'MEMBER',
  createUser: 'STAFF',
  deactivatePipeline: 'STAFF',
  deleteListedFile: 'MEMBER',
  deletePipeline: 'STAFF',
  deletePreset: 'MEMBER',
  deleteProject: 'MEMBER',
  deleteProjectFile: 'MEMBER',
  describeUploads: 'PUBLIC',
  downloadProjectFile: 'FILE_TOKEN',
  finishSso: 'PUBLIC',
  generateFileToken: 'MEMBER',
  getAnyJob: 'STAFF',
  getAnyTaskResult: 'STAFF',
  getConstants: 'STAFF',
  getDefaultPreset: 'MEMBER',
  getDepthMatrix: 'MEMBER',
  getGenome: 'STAFF_OR_GROUP_ADMIN_OR_DEMO',
  getGroup: 'STAFF',
  getGroupStorage: 'MEMBER',
  getHealth: 'PUBLIC',
  getJob: 'MEMBER',
  getOpenApi: 'PUBLIC',
  getPanelFile: 'MEMBER',
  getPanelType: 'PANEL_READER',
  getPreset: 'MEMBER',
  getPresetByName: 'MEMBER',
  getPresetMetadata: 'MEMBER',
  getProfile: 'SESSION',
  getProject: 'MEMBER',
  getReadiness: 'PUBLIC',
  getSignInOptions: 'PUBLIC',
  getTask: 'MEMBER',
  getTaskIgv: 'MEMBER',
  getTaskInfo: 'MEMBER',
  getTaskLog: 'MEMBER',
  getTaskOutputFile: 'MEMBER',
  getTaskQc: 'MEMBER',
  getTaskReference: 'MEMBER',
  getTaskSummary: 'MEMBER',
  getUpload: 'UPLOADER',
  getVariant: 'MEMBER',
  importPanel: 'STAFF_OR_GROUP_ADMIN',
  installPipeline: 'STAFF',
  launchTask: 'MEMBER',
  listAllJobs: 'STAFF',
  listAllProjects: 'STAFF',
  listAllTaskResults: 'STAFF',
  listAllTasks: 'STAFF',
  listAnalysisTypes: 'STAFF_OR_GROUP_ADMIN',
  listDataSources: 'STAFF_OR_GROUP_ADMIN',
  listDataTypes: 'STAFF_OR_GROUP_ADMIN',
  listGenomes: 'STAFF_OR_GROUP_ADMIN_OR_DEMO',
  listGroupPanelFormFields: 'MEMBER',
  listGroupPanelTypes: 'MEMBER',
  listGroups: 'STAFF_OR_DEMO',
  listJobs: 'MEMBER',
  listPanelFormFields: 'USER',
  listPanelTypes: 'STAFF_OR_GROUP_ADMIN_OR_DEMO',
  listPipelines: 'STAFF',
  listPresetMetadata: 'MEMBER',
  listPresets: 'MEMBER',
  listProjectFiles: 'MEMBER',
  listProjects: 'MEMBER',
  listTaskAmplicons: 'MEMBER',
  listTaskLogs: 'MEMBER',
  listTaskOutput: 'MEMBER',
  listTaskResults: 'MEMBER',
  listTaskSamples: 'MEMBER',
  listTasks: 'MEMBER',
  listUsers: 'STAFF_OR_DEMO',
  listVariantColumns: 'USER',
  listVariantFacets: 'MEMBER',
  listVariants: 'MEMBER',
  listWorkerPools: 'STAFF',
  listWorkers: 'STAFF',
  login: 'PUBLIC',
  logout: 'SESSION',
  putConstants: 'STAFF',
  refreshToken: 'PUBLIC',
  renameProject: 'MEMBER',
  rerunTask: 'MEMBER',
  scanPipelines: 'STAFF',
  setTaskNotes: 'MEMBER',
  syncProjectFiles: 'MEMBER',
  updateGenome: 'STAFF',
  updateGroup: 'STAFF',
  updatePanelType: 'PANEL_MANAGER',
  updatePreset: 'MEMBER',
  updateProfile: 'OWN_ACCOUNT',
  verifyToken: 'PUBLIC',
};

const outcomesOf = (id: string): Outcomes => OUTCOMES[RIGHTS[id]!];
const places = placesOf({ document: buildDocument() });
const rows = places.filter(({ id }) => id in RIGHTS).map((place) => [place.id, place] as const);

const given = completedTask();
let callers: Callers;
let objects: Objects;

beforeAll(async () => {
  objects = await laboratoryObjects(given.api, given.task);
  callers = await rightsCallers(given.api, given.task.lab, objects.file);
});

const send = (caller: CallerName, { method, path, options }: RightsRequest): Promise<Answer> =>
  given.api.call(method, path, { ...options, token: callers.tokens[caller] });

/** The body of a HEAD answer is empty. No HEAD call requires more than membership. */
function outcomeOf({ status, body }: Answer, isHead: boolean): Outcome | number {
  const code = isHead
    ? ({ 403: 'password_change_required', 404: 'not_found' } as Record<number, string>)[status]
    : body?.code;
  if (status === 401) return 401;
  if (status === 403 && code === 'password_change_required') return 'password';
  if (status === 403) return code === 'permission_denied' ? 403 : -403;
  if (status === 404 && code === 'not_found') return 404;
  return status === 405 || status >= 500 ? status : 'in';
}

test('every operation has a row in the table, and every row an operation', () => {
  expect(Object.keys(RIGHTS).sort()).toEqual(places.map(({ id }) => id).sort());
});

describe('rejected calls', () => {
  let before: Record<string, string>;
  beforeAll(async () => {
    before = await tableContents(given.api.deps.db);
  });

  test.each(rows)('[ROLE-02] [ROLE-07] [ROLE-16] %s refuses as its row says', async (id, place) => {
    const request = actingRequest(place, objects.group, objects, given.task.lab);
    const refused = CALLERS.filter((caller) => outcomesOf(id)[caller] !== 'in');
    const answers = await Promise.all(
      refused.map(async (caller) => [caller, outcomeOf(await send(caller, request), place.method === 'HEAD')]),
    );
    expect(answers).toEqual(refused.map((caller) => [caller, outcomesOf(id)[caller]]));
  });

  const ofGroups = rows.filter(([id]) => ['MEMBER', 'UPLOADER', 'PANEL_READER', 'PANEL_MANAGER'].includes(RIGHTS[id]!));
  const ofObjects = ofGroups.filter(([id, { path }]) => /\{(?!group)\w+\}/.test(path) || id === 'renameProject');

  test.each(ofObjects)("[ROLE-17] %s answers for another group's object as for a missing one", async (_id, place) => {
    const { lab } = given.task;
    for (const caller of ['other member', 'other admin'] as const) {
      if (caller === 'other member' && !place.path.includes('{group}')) continue;
      for (const group of [callers.otherGroup, '0']) {
        const [foreign, nothing] = await Promise.all(
          [objects, noObjects()].map((named) => send(caller, actingRequest(place, group, named, lab))),
        );
        expect([foreign!.status, withoutId(foreign!)]).toEqual([404, withoutId(nothing!)]);
      }
    }
  });

  test('[ROLE-17] an object of another group named in a body counts as missing', async () => {
    const { lab } = given.task;
    const place = (id: string): OperationPlace => places.find((operation) => operation.id === id)!;
    const content = actingRequest(place('createPreset'), '0', objects, lab).options.body as object;
    const launchOf = (named: Objects) => ({
      ...lab.definition(['S1'], { name: 'taken', preset: named.preset }),
      project: named.project,
      panel: named.panel,
    });
    const bodies: [string, (named: Objects) => unknown][] = [
      ['launchTask', launchOf],
      ['checkLaunch', launchOf],
      ['createPreset', ({ preset }) => ({ ...content, save_as_new_of: preset })],
    ];
    for (const [id, body] of bodies) {
      const [foreign, nothing] = await Promise.all(
        [objects, noObjects()].map((named) =>
          send('other member', { ...actingRequest(place(id), '0', named, lab), options: { body: body(named) } }),
        ),
      );
      expect([id, foreign!.status, withoutId(foreign!)]).toEqual([id, nothing!.status, withoutId(nothing!)]);
    }
  });

  test('change nothing', async () => {
    expect(await tableContents(given.api.deps.db)).toEqual(before);
  });
});

const withoutId = ({ body }: Answer): unknown => (body && typeof body === 'object' ? { ...body, id: undefined } : body);

describe('calls that are admitted', () => {
  test.each(rows)('[ROLE-02] [ROLE-07] [ROLE-16] %s admits as its row says', async (id, place) => {
    const { api, task } = given;
    const kind = USES_UP[id];
    for (const caller of CALLERS.filter((name) => outcomesOf(id)[name] === 'in')) {
      const named = kind ? { ...objects, [kind]: await freshObject(api, task, kind) } : objects;
      const answer = await send(caller, harmlessRequest(place, objects.group, named, task.lab));
      const code = answer.body?.code;
      expect({ caller, code, outcome: outcomeOf(answer, place.method === 'HEAD') }).toEqual({
        caller,
        code,
        outcome: 'in',
      });
      if (kind) expect([caller, Math.trunc(answer.status / 100)]).toEqual([caller, 2]);
    }
  });
});
