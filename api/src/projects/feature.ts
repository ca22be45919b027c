/** Projects, their files, the group's storage, and downloads by a token for one file. */
import { join } from 'node:path';
import { MAX_FILE_BYTES } from '@seqpanel/crds/file-types.ts';
import { projectDir } from '@seqpanel/crds/storage.ts';
import { actorOf } from '../audit/write-audit.ts';
import { withTransaction } from '../db/transaction.ts';
import { NotFound, Unauthorized } from '../errors.ts';
import type { Deps, Feature } from '../feature.ts';
import { answerList } from '../http/answer-list.ts';
import { sendFile } from '../http/send-file.ts';
import { recordAuthEvent } from '../session/auth-events.ts';
import { readCaller } from '../session/session-store.ts';
import type { Tokens } from '../session/tokens.ts';
import { isMissing, placeIn } from '../storage/inside-storage.ts';
import { claimStorage, isStorageThere, MARKER_FILE } from '../storage/storage-marker.ts';
import { readStorageUse } from '../storage/storage-use.ts';
import type { FilesInUse } from './files-in-use.ts';
import { createProjectService } from './project-service.ts';
import { type FileRow, listFiles, listProjects, readFile, readProject } from './project-store.ts';
import { syncFiles } from './sync-files.ts';

const subjectOf = (fileId: string): string => `project-file:${fileId}`;

export function createProjects(deps: Deps, tokens: Tokens, filesInUse: FilesInUse): Feature {
  const { db, config, settings, log, now } = deps;
  const projects = createProjectService(db, config.storageDir, filesInUse, now);
  return {
    name: 'projects',
    start: async () => {
      try {
        const id = await claimStorage(db, config.storageDir, now());
        if (!(await isStorageThere(db, config.storageDir)))
          log.error({ file: join(config.storageDir, MARKER_FILE), id }, 'storage root has another id or none');
      } catch (error) {
        log.error({ err: error }, 'storage root has no id, missing files stay listed');
      }
    },
    routes: {
      listProjects: {
        role: 'group-member',
        handle: ({ res, group, query }) =>
          answerList(db, res, query, (from, asked) => listProjects(from, group.id, asked)),
      },
      listAllProjects: {
        role: 'staff',
        handle: ({ res, query }) => answerList(db, res, query, (from, asked) => listProjects(from, undefined, asked)),
      },
      getProject: { role: 'group-member', handle: ({ group, params }) => readProject(db, group.id, params.id) },
      createProject: {
        role: 'group-member',
        handle: async (call) =>
          readProject(db, call.group.id, await projects.create(call.group.id, call.body.name, actorOf(call))),
      },
      renameProject: {
        role: 'group-member',
        handle: async (call) => {
          await projects.rename(call.group.id, call.body.id, call.body.name, actorOf(call));
          return await readProject(db, call.group.id, call.body.id);
        },
      },
      deleteProject: {
        role: 'group-member',
        handle: (call) => projects.remove(call.group.id, call.params.id, actorOf(call)),
      },
      getGroupStorage: {
        role: 'group-member',
        handle: async ({ group, caller }) => {
          const use = await readStorageUse(db, group.id, caller.userId);
          return {
            used: use.groupUsed,
            limit: use.groupLimit,
            user_used: use.userUsed,
            user_limit: use.userLimit,
            max_files_per_batch: await settings('max_files_per_batch'),
            max_file_bytes: MAX_FILE_BYTES,
          };
        },
      },
      listProjectFiles: {
        role: 'group-member',
        handle: ({ group, params, query }) => listFiles(db, group.id, params.id, query),
      },
      syncProjectFiles: {
        role: 'group-member',
        handle: async (call) => {
          const { group, params } = call;
          await readProject(db, group.id, params.id);
          const target = { groupId: group.id, projectId: params.id, actor: actorOf(call) };
          const refused = await syncFiles({ db, storageDir: config.storageDir, filesInUse, now }, target);
          return { ...(await listFiles(db, group.id, params.id, { page_size: 99_999 })), refused };
        },
      },
      deleteListedFile: {
        role: 'group-member',
        handle: (call) => projects.removeFile(call.group.id, call.params.fileId, actorOf(call), call.params.id),
      },
      deleteProjectFile: {
        role: 'group-member',
        handle: (call) => projects.removeFile(call.group.id, call.params.id, actorOf(call)),
      },
      generateFileToken: {
        role: 'group-member',
        handle: async (call) => {
          const { sessionId } = call.caller;
          const file = await readFile(db, call.group.id, call.params.id);
          await withTransaction(db, (trx) => {
            const changes = [{ field: 'file', from: null, to: file.id }];
            return recordAuthEvent(
              trx,
              actorOf(call),
              { action: 'file_token', outcome: 'success', sessionId, changes },
              now(),
            );
          });
          const { token, expires } = await tokens.signFile(subjectOf(file.id), call.caller);
          const url = `/api/v1/pivat/project-files/${file.id}/download?token=${token}`;
          return { token, url, expires: expires.toISOString() };
        },
      },
      downloadProjectFile: {
        role: 'file-token',
        handle: async ({ res, req, params, query }) => {
          const id = params.id.toLowerCase();
          const claims = await tokens.verifyFile(query.token, subjectOf(id));
          const caller = claims && (await readCaller(db, claims.userId, claims.sessionId, now()));
          if (!caller || caller.mustChangePassword) throw new Unauthorized('token_invalid');
          const file: FileRow | undefined = await db('project_file as f')
            .join('project as p', 'p.id', 'f.project_id')
            .where('f.id', id)
            .whereNull('f.deleted')
            .first('f.*', 'p.group_id');
          // A token becomes invalid when its user leaves the group.
          if (!file || !caller.groups.some((group) => group.id === file.group_id)) throw new NotFound();
          const { name, size, sha256: etag } = file;
          const place = placeIn(config.storageDir, projectDir(file.group_id, file.project_id)).child(name);
          await sendFile(req, res, { place, name, size, etag }).catch((error) => {
            throw isMissing(error) ? new NotFound('file_missing', { file: name }, { cause: error }) : error;
          });
        },
      },
    },
  };
}
