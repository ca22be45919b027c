/** Resumable uploads into projects: the tus protocol on Postgres rows and the storage folder. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { MAX_FILE_BYTES } from '@seqpanel/crds/file-types.ts';
import type { Server } from '@tus/server';
import { type Actor, actorOf } from '../audit/write-audit.ts';
import { AppError, NotFound } from '../errors.ts';
import type { Call, Deps, Feature } from '../feature.ts';
import { errorBody, requestId } from '../http/error-answer.ts';
import { reserveUpload } from './create-upload.ts';
import { finishUpload } from './finish-upload.ts';
import { receiveBytes } from './receive-bytes.ts';
import { sweepUploads } from './sweep-uploads.ts';
import { createUploadLocker } from './upload-lock.ts';
import { readUpload, type UploadRow } from './upload-rows.ts';
import { UploadStore } from './upload-store.ts';

const SWEEP_MS = 600_000;

interface UploadContext {
  groupId: string;
  ownerId: string;
  actor: Actor;
  requestId: string;
  /** The upload that the caller may access. Undefined for a call that creates one. */
  uploadId: string | undefined;
}

type UploadCall = Pick<Call, 'req' | 'res' | 'caller' | 'group' | 'log'>;

export function createUploads(deps: Deps): Feature {
  const { db, config, settings, now, log } = deps;
  const finish = { db, storageDir: config.storageDir, now };
  const context = new AsyncLocalStorage<UploadContext>();
  const store = new UploadStore(db, config.storageDir);
  const locker = createUploadLocker(db);
  let server: Promise<Server> | undefined;

  /** Finishes of complete uploads, at most one per upload at a time in this process. */
  const finishing = new Map<string, Promise<void>>();
  const finishOnce = (id: string, actor: Actor): Promise<void> => {
    let running = finishing.get(id);
    if (!running) {
      running = (async () => {
        const row = await readUpload(db, id);
        if (!row) throw new NotFound();
        if (!row.file_id) await finishUpload(finish, row, store.takeHash(id, row.size), actor);
      })().finally(() => finishing.delete(id));
      finishing.set(id, running);
    }
    return running;
  };

  async function createServer(): Promise<Server> {
    const { JsonServer } = await import('./json-server.ts');
    const options: ConstructorParameters<typeof JsonServer>[0] = {
      path: '/uploads',
      datastore: store,
      locker,
      lockDrainTimeout: 1_000,
      allowedOrigins: [],
      namingFunction: () => randomUUID(),
      // Without this, the server would use the last part of the URL including the query, which was not authorized.
      getFileIdFromRequest: () => context.getStore()!.uploadId,
      generateUrl: (_req, { id }) => `/api/v1/pivat/${context.getStore()!.groupId}/uploads/${id}`,
      onUploadCreate: async (_req, upload) => {
        const { groupId, ownerId } = context.getStore()!;
        const batch = Number(upload.metadata?.['batch'] ?? Number.NaN);
        await reserveUpload(
          db,
          config.storageDir,
          {
            id: upload.id,
            groupId,
            ownerId,
            project: upload.metadata?.['project'] ?? undefined,
            name: upload.metadata?.['filename'] ?? undefined,
            size: upload.size,
            batch: Number.isInteger(batch) ? batch : undefined,
          },
          await settings('max_files_per_batch'),
          now(),
        );
        return {};
      },
      onUploadFinish: async (_req, upload) => {
        await finishOnce(upload.id, context.getStore()!.actor);
        return {};
      },
      onResponseError: (_req, error) => answerOf(error, context.getStore()!.requestId),
    };
    return new JsonServer(options, (status, text) => wordedBody(status, text, context.getStore()!.requestId));
  }

  async function handle({ req, res, caller, group, log: requestLog }: UploadCall, uploadId?: string): Promise<void> {
    server ??= createServer();
    const actor = actorOf({ caller, req });
    const id = requestId(req);
    requestLog.debug({ group: group.id }, 'upload call');
    await context.run({ groupId: group.id, ownerId: caller.userId, actor, requestId: id, uploadId }, async () =>
      (await server!).handle(req, res),
    );
  }

  /** Uploads of another group or user are not found. Finishes an upload that is complete but not listed. */
  async function handleOne(call: Call<'getUpload' | 'continueUpload' | 'cancelUpload'>): Promise<void> {
    const row = await readUpload(db, call.params.upload.toLowerCase());
    if (!row || row.group_id !== call.group.id || row.owner_id !== call.caller.userId) throw new NotFound();
    // Converts errors thrown outside of the protocol's server, which answers its own errors.
    const ours = (error: unknown): never => {
      throw refusalOf(error) ?? error;
    };
    if (call.req.method === 'PATCH') return await receive(call, row).catch(ours);
    if (call.req.method === 'HEAD' && !row.file_id) {
      const { offset } = await store.getUpload(row.id).catch(ours);
      if (offset === row.size) await finishOnce(row.id, actorOf(call));
    }
    await handle(call as unknown as UploadCall, row.id);
  }

  async function receive(call: Call<'getUpload' | 'continueUpload' | 'cancelUpload'>, row: UploadRow): Promise<void> {
    const { req, res } = call;
    res.setHeader('Tus-Resumable', '1.0.0');
    try {
      const offset = await receiveBytes(store, locker, row, req);
      if (offset === row.size) await finishOnce(row.id, actorOf(call));
      res.setHeader('Upload-Offset', offset);
      res.status(204).end();
    } finally {
      // Reads and drops the rest of a rejected body, because a client that is cut off would not see the answer.
      if (!req.complete) req.resume();
    }
  }

  return {
    name: 'uploads',
    start: async (signal) => {
      const sweep = () => sweepUploads(finish, log).catch((err) => log.warn({ err }, 'old uploads not swept'));
      const timer = setInterval(sweep, SWEEP_MS).unref();
      signal.addEventListener('abort', () => clearInterval(timer), { once: true });
      void sweep();
    },
    routes: {
      createUpload: { role: 'group-member', handle: (call) => handle(call as unknown as UploadCall) },
      getUpload: { role: 'group-member', handle: (call) => handleOne(call as never) },
      continueUpload: { role: 'group-member', handle: (call) => handleOne(call as never) },
      cancelUpload: { role: 'group-member', handle: (call) => handleOne(call as never) },
      describeUploads: {
        role: 'public',
        handle: async ({ res }) => {
          res.setHeader('Tus-Resumable', '1.0.0');
          res.setHeader('Tus-Version', '1.0.0');
          res.setHeader('Tus-Extension', store.extensions.join(','));
          res.setHeader('Tus-Max-Size', String(MAX_FILE_BYTES));
        },
      },
    },
  };
}

/** Converts an error of the protocol for our clients. Undefined: its server writes the text. */
function refusalOf(error: unknown): AppError | undefined {
  if (error instanceof AppError) return error;
  const { status_code: status } = error as { status_code?: number };
  if (status === 413) return new AppError(413, 'file_too_large', { file: '' });
  if (status === 501) return new AppError(400, 'upload_size_missing');
  if (status === 409) return new AppError(409, 'upload_offset');
  if (status === 404 || status === 410) return new AppError(status, 'not_found');
  return undefined;
}

function answerOf(error: unknown, id: string): { status_code: number; body: string } | undefined {
  const refusal = refusalOf(error);
  return refusal && { status_code: refusal.status, body: JSON.stringify(errorBody(refusal, id)) };
}

/** Body of a rejection whose text comes from the protocol's server, such as a missing header. */
function wordedBody(status: number, message: string, id: string): string {
  const isOurs = status >= 500;
  const error = new AppError(
    status,
    isOurs ? 'internal_error' : 'request_invalid',
    isOurs ? undefined : { problems: [{ message }] },
  );
  return JSON.stringify(errorBody(error, id));
}
