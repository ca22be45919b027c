/** Calls that list, follow and read tasks. */

import { actorOf } from '../audit/write-audit.ts';
import { NotFound } from '../errors.ts';
import type { Deps, Feature } from '../feature.ts';
import { answerList } from '../http/answer-list.ts';
import { sendFile } from '../http/send-file.ts';
import { LinkRefused } from '../storage/inside-storage.ts';
import { abortTask } from './abort.ts';
import { tailOf } from './log-tail.ts';
import { readDetail, readInfo, readSamples, readTask } from './task-detail.ts';
import { folderNameOf, listLogs, listOutput, locate, mediaTypeOf } from './task-files.ts';
import { setTaskNotes } from './task-notes.ts';
import { listAllTaskRows, listTaskRows, readAnyTaskRow } from './task-rows.ts';

export function createTasks(deps: Deps, wakeDispatcher: () => void): Feature {
  const { db, now } = deps;
  const { storageDir } = deps.config;
  const role = 'group-member';
  return {
    name: 'tasks',
    routes: {
      listTasks: { role, handle: ({ group, caller, query }) => listTaskRows(db, group.id, caller, query, now()) },
      getTask: { role, handle: ({ group, params }) => readDetail(db, group.id, params.id, now()) },
      abortTask: {
        role,
        handle: async (call) => {
          await abortTask(db, call.group.id, call.params.id, actorOf(call), now());
          wakeDispatcher();
          return await readDetail(db, call.group.id, call.params.id, now());
        },
      },
      listAllTasks: {
        role: 'staff',
        handle: ({ res, caller, query }) =>
          answerList(db, res, query, (from, asked) => listAllTaskRows(from, caller, asked, now())),
      },
      abortAnyTask: {
        role: 'staff',
        handle: async (call) => {
          await abortTask(db, undefined, call.params.id, actorOf(call), now());
          wakeDispatcher();
          return await readAnyTaskRow(db, call.params.id, now());
        },
      },
      setTaskNotes: {
        role,
        handle: async (call) => {
          const { group, params, body } = call;
          await setTaskNotes(db, group.id, params.id, body.notes, actorOf(call), now());
          return await readDetail(db, group.id, params.id, now());
        },
      },
      listTaskSamples: {
        role,
        handle: async ({ group, params }) => ({ results: await readSamples(db, group.id, params.id) }),
      },
      getTaskInfo: { role, handle: ({ group, params }) => readInfo(db, group.id, params.id, now()) },
      listTaskLogs: {
        role,
        handle: async ({ group, params }) => {
          const task = await readTask(db, group.id, params.id);
          const samples = await db('task_sample').where({ task_id: params.id }).pluck('name');
          return { results: await listLogs(storageDir, folderNameOf(task), task.mirror, samples) };
        },
      },
      getTaskLog: {
        role,
        handle: async ({ req, res, group, params, query }) => {
          const task = await readTask(db, group.id, params.id);
          const place = await locate(storageDir, folderNameOf(task), `logs/${params.name}`).catch((error) => {
            throw error instanceof LinkRefused ? error : new NotFound('log_not_found', undefined, { cause: error });
          });
          const type = 'text/plain; charset=utf-8';
          if (query.tail === undefined)
            return await sendFile(req, res, { place, name: params.name, type, inline: !query.download });
          const { offset, text } = await tailOf(place, query.tail);
          res.setHeader('X-Log-Offset', offset);
          res.type(type).status(200).end(text);
        },
      },
      listTaskOutput: {
        role,
        handle: async ({ group, params }) => {
          const task = await readTask(db, group.id, params.id);
          const results = await listOutput(storageDir, folderNameOf(task));
          return {
            total_size: results.reduce((sum, { size }) => sum + size, 0),
            deleted: task.results_deleted !== null,
            results,
          };
        },
      },
      getTaskOutputFile: {
        role,
        handle: async ({ req, res, group, params, query }) => {
          const task = await readTask(db, group.id, params.id);
          const place = await locate(storageDir, folderNameOf(task), query.path);
          const { name } = place;
          await sendFile(req, res, { place, name, type: mediaTypeOf(name), inline: query.inline === true });
        },
      },
    },
  };
}
