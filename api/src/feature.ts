/** Interface of a feature: handlers by operationId and optional background work. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Request, Response } from 'express';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Config } from './config.ts';
import type { Authenticate, Caller, Membership } from './http/caller.ts';
import type { JobKind } from './jobs/job-kind.ts';
import type { Role } from './openapi/document.ts';
import type { operations } from './openapi/generated.ts';
import type { ReadSettings } from './settings/read.ts';
import type { MeasureReader } from './system/measure-reader.ts';

/** Dependencies that main.ts passes to every feature. `now` is the only source of the time. */
export interface Deps {
  config: Config;
  /** Pool for requests: few connections, short timeouts. */
  db: Knex;
  /** Pool for background work, so that neither it nor the requests wait for the other's connections. */
  backgroundDb: Knex;
  log: Logger;
  metrics: Registry;
  measures: MeasureReader;
  now: () => Date;
  authenticate: Authenticate;
  settings: ReadSettings;
}

export type OperationId = keyof operations;

type JsonOf<T> = T extends { content: { 'application/json': infer B } }
  ? B
  : T extends { content: { 'multipart/form-data': infer F } }
    ? F
    : undefined;
type Defined<T> = T extends undefined ? never : T;
type PathOf<K extends OperationId> = operations[K] extends { parameters: { path: infer P } }
  ? P
  : Record<string, never>;
type QueryOf<K extends OperationId> = operations[K] extends { parameters: { query?: infer Q } }
  ? Defined<Q>
  : Record<string, never>;
type BodyOf<K extends OperationId> = operations[K] extends { requestBody: infer B } ? JsonOf<B> : undefined;
type ResponsesOf<K extends OperationId> = operations[K] extends { responses: infer R } ? R : never;
export type AnswerOf<K extends OperationId> =
  ResponsesOf<K> extends { 200: infer A } ? JsonOf<A> : ResponsesOf<K> extends { 201: infer A } ? JsonOf<A> : undefined;

/** File of a multipart body. It stays on disk until the answer is sent. */
export interface UploadedFile {
  /** Name of the form part. */
  part: string;
  /** File name as the client gave it, without folders. */
  name: string;
  path: string;
  /** Size in bytes. */
  size: number;
  sha256: string;
}

/** One request. Its parameters match the document and its caller has the operation's role. */
export interface Call<K extends OperationId = OperationId> {
  req: Request;
  res: Response;
  params: PathOf<K>;
  query: QueryOf<K>;
  body: BodyOf<K>;
  files: readonly UploadedFile[];
  log: Logger;
  /** Throws when the operation is public and the request has no token. */
  readonly caller: Caller;
  /** Group of the path, with 0 resolved. Throws when the path has no group. */
  readonly group: Membership;
}

/**
 * A handler returns the answer's body, which is sent with the only success status of the document, or writes to
 * `call.res` itself.
 */
export interface Route<K extends OperationId> {
  role: Role;
  // biome-ignore lint/suspicious/noConfusingVoidType: a handler that has written the answer returns nothing
  handle(call: Call<K>): Promise<AnswerOf<K> | void>;
}

export type Routes = { [K in OperationId]?: Route<K> };

/** Handles a websocket upgrade. Returns false when the path belongs to another feature. */
export type Upgrade = (req: IncomingMessage, socket: Duplex, head: Buffer) => boolean;

export interface Feature {
  name: string;
  routes?: Routes;
  /**
   * Starts the feature's background work, which ends when `signal` aborts. Called once, after the migration of the
   * database.
   */
  start?(signal: AbortSignal): Promise<void>;
  /** Resolves when the work started by `start` has ended. */
  stop?(): Promise<void>;
  /** Long work of this feature that people start and follow. */
  jobs?: readonly JobKind[];
  upgrade?: Upgrade;
  /** Called for every request that was admitted with a caller. */
  admitted?(caller: Caller, res: Response): void;
  /** Check for the detailed /readyz: throws, or returns a reason, when the feature does not work properly. */
  ready?(): Promise<string | undefined>;
}
