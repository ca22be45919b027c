import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Answer } from '../../test-support/api.ts';
import { completedTask } from '../../test-support/completed-task.ts';
import { CALLERS, type CallerName, type Callers, rightsCallers } from '../../test-support/rights-callers.ts';
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

const NO_SESSION = {
  anonymous: 401,
  'disabled user': 401,
  'expired token': 401,
  'refresh token': 401,
  'file token': 401,
} as const;

/** What a caller gets for an object of the laboratory's group, through that group where the path names one. */
const OUTCOMES = {
  PUBLIC: Object.fromEntries(CALLERS.map((caller) => [caller, 'in'])) as Outcomes,
  /** Without a token for that file in the address. */
  FILE_TOKEN: Object.fromEntries(CALLERS.map((caller) => [caller, 401])) as Outcomes,
  USER: {
    ...NO_SESSION,
    member: 'in',
    'group admin': 'in',
    'other member': 'in',
    'other admin': 'in',
    staff: 'in',
    superuser: 'in',
  },
  /** Open to users who must change their password. */
  OWN_PASSWORD: {
    ...NO_SESSION,
    member: 'in',
    'group admin': 'in',
    'other member': 'in',
    'other admin': 'in',
    staff: 'in',
    superuser: 'in',
  },
  MEMBER: {
    ...NO_SESSION,
    member: 'in',
    'group admin': 'in',
    'other member': 404,
    'other admin': 404,
    staff: 404,
    superuser: 404,
  },
  /** The member's own upload. */
  UPLOADER: {
    ...NO_SESSION,
    member: 'in',
    'group admin': 404,
    'other member': 404,
    'other admin': 404,
    staff: 404,
    superuser: 404,
  },
  STAFF_OR_GROUP_ADMIN: {
    ...NO_SESSION,
    member: 403,
    'group admin': 'in',
    'other member': 403,
    'other admin': 'in',
    staff: 'in',
    superuser: 'in',
  },
  /** A panel type that is limited to the laboratory's group. */
  PANEL_MANAGER: {
    ...NO_SESSION,
    member: 403,
    'group admin': 'in',
    'other member': 403,
    'other admin': 404,
    staff: 'in',
    superuser: 'in',
  },
  STAFF: {
    ...NO_SESSION,
    member: 403,
    'group admin': 403,
    'other member': 403,
    'other admin': 403,
    staff: 'in',
    superuser: 'in',
  },
} satisfies Record<string, Outcomes>;

/** Written by hand, on purpose: it must not follow the document's x-role. */
const RIGHTS: Readonly<Record<string, keyof typeof OUTCOMES>> = {
  abortAnyTask: 'STAFF',
  abortTask: 'MEMBER',
  activatePipeline: 'STAFF',
  beginSso: 'PUBLIC',
  cancelUpload: 'UPLOADER',
  changePassword: 'OWN_PASSWORD',
  checkLaunch: 'MEMBER',
  checkRerun: 'MEMBER',
  classifyPanelFiles: 'STAFF_OR_GROUP_ADMIN',
  continueUpload: 'UPLOADER',
  createGenome: 'STAFF',
  createGroup: 'STAFF',
  createPanelType: 'STAFF_OR_GROUP_ADMIN',
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
  getAnyTaskResult: 'STAFF',
  getConstants: 'STAFF',
  getDefaultPreset: 'MEMBER',
  getDepthMatrix: 'MEMBER',
  getGenome: 'STAFF_OR_GROUP_ADMIN',
  getGroup: 'STAFF',
  getGroupStorage: 'MEMBER',
  getHealth: 'PUBLIC',
  getMetrics: 'PUBLIC',
  getOpenApi: 'PUBLIC',
  getPanelFile: 'MEMBER',
  getPanelType: 'PANEL_MANAGER',
  getPreset: 'MEMBER',
  getPresetByName: 'MEMBER',
  getPresetMetadata: 'MEMBER',
  getProfile: 'OWN_PASSWORD',
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
  listAllProjects: 'STAFF',
  listAllTaskResults: 'STAFF',
  listAllTasks: 'STAFF',
  listAnalysisTypes: 'USER',
  listDataSources: 'USER',
  listDataTypes: 'USER',
  listGenomes: 'STAFF_OR_GROUP_ADMIN',
  listGroupPanelFormFields: 'MEMBER',
  listGroupPanelTypes: 'MEMBER',
  listGroups: 'STAFF',
  listPanelFormFields: 'USER',
  listPanelTypes: 'STAFF_OR_GROUP_ADMIN',
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
  listUsers: 'STAFF',
  listVariantColumns: 'USER',
  listVariantFacets: 'MEMBER',
  listVariants: 'MEMBER',
  listWorkerPools: 'STAFF',
  listWorkers: 'STAFF',
  login: 'PUBLIC',
  logout: 'OWN_PASSWORD',
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
  updateProfile: 'USER',
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

/** What the answer says of the caller's rights; the body of a HEAD answer is empty. */
function outcomeOf({ status, body }: Answer, isHead: boolean): Outcome | number {
  const code = body?.code;
  if (status === 401) return 401;
  if (status === 403)
    return code === 'password_change_required' ? 'password' : code === 'permission_denied' ? 403 : -403;
  if (status === 404 && (isHead || code === 'not_found')) return 404;
  return status === 405 || status >= 500 ? status : 'in';
}

test('every operation has a row in the table, and every row an operation', () => {
  expect(Object.keys(RIGHTS).sort()).toEqual(places.map(({ id }) => id).sort());
});

describe('calls that are refused', () => {
  let before: Record<string, string>;
  beforeAll(async () => {
    before = await tableContents(given.api.deps.db);
  });

  test.each(rows)('[ROLE-02] [ROLE-07] [ROLE-16] [API-06] %s refuses as its row says', async (id, place) => {
    const request = actingRequest(place, objects.group, objects, given.task.lab);
    const refused = CALLERS.filter((caller) => outcomesOf(id)[caller] !== 'in');
    const answers = await Promise.all(
      refused.map(async (caller) => [caller, outcomeOf(await send(caller, request), place.method === 'HEAD')]),
    );
    expect(answers).toEqual(refused.map((caller) => [caller, outcomesOf(id)[caller]]));
  });

  const ofGroups = rows.filter(([id]) => ['MEMBER', 'UPLOADER', 'PANEL_MANAGER'].includes(RIGHTS[id]!));
  const ofObjects = ofGroups.filter(([id, { path }]) => /\{(?!group)\w+\}/.test(path) || id === 'renameProject');

  test.each(ofObjects)(
    "[ROLE-17] %s answers for another group's object as for one that does not exist",
    async (_id, place) => {
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
    },
  );

  test('[ROLE-17] an object of another group that a body names is not there either', async () => {
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
  test.each(rows)('[ROLE-02] [ROLE-07] [ROLE-16] [API-06] %s admits as its row says', async (id, place) => {
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
