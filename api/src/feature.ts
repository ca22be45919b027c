/** What a feature is: handlers by operationId, and perhaps something that runs beside them. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Request, Response } from 'express';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Config } from './config.ts';
import type { Role } from './openapi/document.ts';
import type { operations } from './openapi/generated.ts';
import type { Authenticate, Caller, Membership } from './session/caller.ts';
import type { ReadSettings } from './settings/read.ts';
import type { MeasureReader } from './system/measure-reader.ts';

/** What main.ts hands to every feature. `now` is the clock; nothing else reads the time. */
export interface Deps {
  config: Config;
  /** For requests: few connections, short timeouts. */
  db: Knex;
  /** For work beside the requests, so that it never waits for them nor they for it. */
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

/** A file of a multipart body, on disk until the answer is sent. */
export interface UploadedFile {
  /** Name of the form's part. */
  part: string;
  /** The client's file name, without any folder. */
  name: string;
  path: string;
  /** Bytes. */
  size: number;
  sha256: string;
}

/** One request, its parameters checked against the document and its caller against the operation's role. */
export interface Call<K extends OperationId = OperationId> {
  req: Request;
  res: Response;
  params: PathOf<K>;
  query: QueryOf<K>;
  body: BodyOf<K>;
  files: readonly UploadedFile[];
  log: Logger;
  /** Throws where the operation is public and came without a token. */
  readonly caller: Caller;
  /** The group of the path, 0 resolved. Throws where the path has none. */
  readonly group: Membership;
}

/** A handler returns the answer's body (its status is the document's one success), or writes to `call.res` itself. */
export interface Route<K extends OperationId> {
  role: Role;
  // biome-ignore lint/suspicious/noConfusingVoidType: a handler that has written the answer returns nothing
  handle(call: Call<K>): Promise<AnswerOf<K> | void>;
}

export type Routes = { [K in OperationId]?: Route<K> };

/** The answer to a request for an upgrade (websocket); false when the path is not this feature's. */
export type Upgrade = (req: IncomingMessage, socket: Duplex, head: Buffer) => boolean;

export interface Feature {
  name: string;
  routes?: Routes;
  /** Begins what runs beside the handlers; ends with the signal. Called once, when the database is migrated. */
  start?(signal: AbortSignal): Promise<void>;
  /** Resolves when what `start` began has ended. */
  stop?(): Promise<void>;
  upgrade?: Upgrade;
  /** Told of every call that a caller was admitted to. */
  admitted?(caller: Caller, res: Response): void;
  /** For /readyz of the monitor: throws, or returns a reason, when the feature does not work as it should. */
  ready?(): Promise<string | undefined>;
}
