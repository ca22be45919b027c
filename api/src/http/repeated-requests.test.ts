/** Each operation called several times at once, and with the id of another kind of object in each place. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Answer, CallOptions } from '../../test-support/api.ts';
import { completedTask } from '../../test-support/completed-task.ts';
import { PANEL } from '../../test-support/laboratory.ts';
import { panelFileOf, panelForm } from '../../test-support/panels.ts';
import { type Callers, rightsCallers } from '../../test-support/rights-callers.ts';
import { freshObject, laboratoryObjects, type Objects } from '../../test-support/rights-objects.ts';
import { actingRequest, type OperationPlace, placesOf, USES_UP } from '../../test-support/rights-requests.ts';
import { buildDocument } from '../openapi/document.ts';

const AT_ONCE = 4;
const given = completedTask();
let callers: Callers;
let objects: Objects;
beforeAll(async () => {
  objects = await laboratoryObjects(given.api, given.task);
  callers = await rightsCallers(given.api, given.task.lab, objects.file);
});

/** Calls that succeed once, because the others find the object created or gone. */
const ONCE = new Set([
  'abortAnyTask',
  'abortTask',
  'cancelUpload',
  'createGroup',
  'createPreset',
  'createProject',
  'createUser',
  'deleteListedFile',
  'deletePipeline',
  'deletePreset',
  'deleteProject',
  'deleteProjectFile',
]);

/** Changes that would end sessions or accounts of the later calls. */
const ENDING = new Set(['logout', 'changePassword', 'updateGroup', 'login']);
const places = placesOf({ document: buildDocument() }).filter(({ id }) => !ENDING.has(id));
const rows = places.map((place) => [place.id, place] as const);

const outcome = ({ status, body }: Answer) => [status, body?.code] as const;
const isDone = ({ status }: Answer) => status >= 200 && status < 300;
const tokenFor = ({ path }: OperationPlace) => callers.tokens[path.includes('/{group}/') ? 'member' : 'staff'];

describe('the same request at once', () => {
  test.each(rows)('%s answers each without a fault', async (id, place) => {
    const kind = USES_UP[id];
    const named = kind ? { ...objects, [kind]: await freshObject(given.api, given.task, kind) } : objects;
    const { method, path, options } = actingRequest(place, objects.group, named, given.task.lab);
    const token = tokenFor(place);
    const answers = await Promise.all(
      Array.from({ length: AT_ONCE }, () => given.api.call(method, path, { ...options, token })),
    );
    expect(answers.map(outcome).filter(([status]) => status >= 500)).toEqual([]);
    if (ONCE.has(id)) expect(answers.map(outcome).filter((_, i) => isDone(answers[i]!))).toHaveLength(1);
  });

  test('an installed pipeline, a genome and a panel type are created once, with one audit entry', async () => {
    const { db } = given.api.deps;
    const token = callers.tokens.staff;
    await db('pipeline').where({ name: 'panel-1.0.0' }).delete();
    mkdirSync(join(given.api.storageDir, 'incoming'), { recursive: true });
    writeFileSync(join(given.api.storageDir, 'incoming/twin.fa'), '>1\nACGT\n');
    const genome = { value: 'twin', source: { path: 'incoming/twin.fa' } };
    const panel = () =>
      panelForm(
        { display_name: 'Twin', value: 'twin', genome: PANEL.genome.value },
        { panel_file: panelFileOf({ ...PANEL, value: 'twin' }) },
      );
    const creations: [string, string, () => CallOptions][] = [
      ['pipeline', 'pipelines/install', () => ({ body: { name: 'panel-1.0.0' } })],
      ['genome', 'genomes', () => ({ body: genome })],
      ['panel_type', 'panel_types', () => ({ form: panel() })],
    ];
    for (const [type, path, options] of creations) {
      const answers = await Promise.all(
        Array.from({ length: AT_ONCE }, () =>
          given.api.call('POST', `/api/v1/pivat/admin/${path}`, { ...options(), token }),
        ),
      );
      expect([type, ...answers.map(({ status }) => status).sort()]).toEqual([type, 201, 409, 409, 409]);
      const { id } = answers.find(isDone)!.body;
      expect(await db('audit_log').where({ resource_type: type, action: 'create' })).toMatchObject([
        { resource_id: id },
      ]);
    }
  });
});

describe('the id of another kind of object', () => {
  const named = rows.filter(([, { path }]) => /\{(id|fileId|upload)\}/.test(path));

  test.each(named)('%s finds nothing', async (id, place) => {
    const { lab } = given.task;
    const ids = ['task', 'taskResult', 'project', 'file', 'upload', 'panel', 'preset', 'genome', 'pipeline'] as const;
    const right = actingRequest(place, objects.group, objects, lab).path;
    for (const kind of ids) {
      const wrong = Object.fromEntries(ids.map((other) => [other, objects[kind]]));
      const { method, path, options } = actingRequest(place, objects.group, { ...objects, ...wrong }, lab);
      if (path === right) continue;
      const answer = await given.api.call(method, path, { ...options, token: tokenFor(place) });
      expect([id, kind, answer.status]).toEqual([id, kind, id === 'downloadProjectFile' ? 401 : 404]);
    }
  });
});
