/** Requests for every operation: one that acts, and one that is admitted and changes as little as possible. */
import { defaultPreset } from '@seqpanel/crds/preset-default.ts';
import { operationsOf } from '../src/openapi/document.ts';
import type { CallOptions, TestApi } from './api.ts';
import { type Laboratory, PANEL } from './laboratory.ts';
import { panelForm } from './panels.ts';
import type { Kind, Objects } from './rights-objects.ts';

export interface RightsRequest {
  method: string;
  path: string;
  options: CallOptions;
}

export interface OperationPlace {
  id: string;
  method: string;
  path: string;
}

export const placesOf = (api: Pick<TestApi, 'document'>): OperationPlace[] =>
  [...operationsOf(api.document)].map(({ path, method, operation }) => ({
    id: operation.operationId,
    method: method.toUpperCase(),
    path,
  }));

/** Calls that consume the object they name. Each gets a new one. */
export const USES_UP: Readonly<Record<string, Kind>> = {
  abortTask: 'task',
  abortAnyTask: 'task',
  activatePipeline: 'pipeline',
  cancelAnyJob: 'job',
  cancelJob: 'job',
  cancelUpload: 'upload',
  deactivatePipeline: 'pipeline',
  deleteListedFile: 'file',
  deletePipeline: 'pipeline',
  deletePreset: 'preset',
  deleteProject: 'project',
  deleteProjectFile: 'file',
  syncProjectFiles: 'project',
};

/** Objects of the path's parameters. The first matching pattern wins. */
const PARAMETERS: readonly [RegExp, string, keyof Objects | { text: string }][] = [
  [/\/custom-preset\/default\//, 'id', 'panel'],
  [/\/custom-preset\/\{panel\}\//, 'name', 'presetName'],
  [/\/custom-preset\//, 'panel', 'panelValue'],
  [/\/custom-preset\//, 'id', 'preset'],
  [/\/(tasks|task-rerun)\//, 'id', 'task'],
  [/\/task_results\//, 'id', 'taskResult'],
  [/\/jobs\//, 'id', 'job'],
  [/\/projects\//, 'id', 'project'],
  [/\/filelist\//, 'fileId', 'file'],
  [/\/project-files\//, 'id', 'file'],
  [/\/uploads\//, 'upload', 'upload'],
  [/\/panel[-_]types\//, 'id', 'panel'],
  [/\/genomes\//, 'id', 'genome'],
  [/\/pipelines\//, 'id', 'pipeline'],
  [/\/admin\/groups\//, 'id', 'group'],
  [/\/variants\//, 'variant', 'variant'],
  [/\/logs\//, 'name', { text: 'post-filter.log' }],
  [/\/reference\//, 'file', { text: 'genome.fa' }],
];

/** Required queries. */
export const QUERIES: Readonly<Record<string, string>> = {
  downloadProjectFile: 'token=x',
  getTaskIgv: 'sample=S1',
  getTaskOutputFile: 'path=logs/post-filter.log',
};

const TUS = { 'tus-resumable': '1.0.0' };

/** Returns the value of a path's parameter. */
export function parameterOf(path: string, name: string, objects: Objects): string {
  const found = PARAMETERS.find(([pattern, parameter]) => parameter === name && pattern.test(path));
  if (!found) throw new Error(`${path}: no object for the parameter ${name}`);
  const [, , what] = found;
  return typeof what === 'string' ? objects[what] : what.text;
}

function pathOf({ id, path }: OperationPlace, group: string, objects: Objects): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    name === 'group' ? group : parameterOf(path, name, objects),
  );
  return id in QUERIES ? `${filled}?${QUERIES[id]}` : filled;
}

const isForm = (id: string): boolean =>
  ['createPanelType', 'updatePanelType', 'classifyPanelFiles', 'importPanel'].includes(id);

/** Builds a request that names the objects in path and body and would succeed. */
export function actingRequest(place: OperationPlace, group: string, objects: Objects, lab: Laboratory): RightsRequest {
  const { id, method } = place;
  const request = { method, path: pathOf(place, group, objects) };
  if (id === 'continueUpload') {
    const headers = { ...TUS, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' };
    return { ...request, options: { headers } };
  }
  if (/Upload/.test(id)) return { ...request, options: { headers: TUS } };
  if (isForm(id)) {
    const fields = { display_name: 'Taken', value: 'taken', genome: PANEL.genome.value };
    return {
      ...request,
      options: { form: panelForm(id === 'updatePanelType' ? { panel_group: 'taken' } : fields, {}) },
    };
  }
  const body = bodyOf(id, objects, lab);
  return { ...request, options: body === undefined ? {} : { body } };
}

/** Builds a request that is invalid only after the check of rights. A call without a body acts. */
export function harmlessRequest(
  place: OperationPlace,
  group: string,
  objects: Objects,
  lab: Laboratory,
): RightsRequest {
  const request = actingRequest(place, group, objects, lab);
  if (request.options.form) return { ...request, options: { form: panelForm({ active: 'neither' }, {}) } };
  if (request.options.body === undefined) return request;
  return { ...request, options: { body: place.id === 'rerunTask' ? { name: 5 } : {} } };
}

function bodyOf(id: string, { project, presetName }: Objects, lab: Laboratory): unknown {
  const content = { ...defaultPreset(PANEL, '1.0.0'), name: 'taken' };
  const bodies: Record<string, unknown> = {
    changePassword: { current_password: 'Right-Horse7', new_password: 'Taken-Horse7', repeat_password: 'Taken-Horse7' },
    checkLaunch: lab.definition(['S1'], { name: 'taken' }),
    createGenome: { value: 'taken', source: { path: 'incoming/taken.fa' } },
    createGroup: { name: 'taken' },
    createPreset: { content },
    createProject: { name: 'taken' },
    createUser: { username: 'taken', password: 'Taken-Horse7', is_staff: true },
    finishSso: { query: '?code=x&state=x' },
    installPipeline: { name: 'panel-1.0.0' },
    launchTask: lab.definition(['S1'], { name: 'taken' }),
    login: { username: lab.user.username, password: 'wrong' },
    logout: { refresh_token: lab.user.refresh },
    putConstants: [{ name: 'max_files_per_batch', value: 7 }],
    refreshToken: { refresh: 'x' },
    renameProject: { id: project, name: 'taken' },
    rerunTask: {},
    setTaskNotes: { notes: 'taken' },
    updateGenome: { active: false },
    updateGroup: { version: 'x', members: [{ user_id: lab.user.id, is_group_admin: true }] },
    updatePreset: { content: { ...content, name: presetName } },
    updateProfile: { first_name: 'Taken' },
    verifyToken: { token: 'x' },
  };
  return bodies[id];
}
