/**
 * npm run bench:upload: a 2 GB FASTQ file through the public API, against `cp` and `sha256sum` of the same file on the
 * same disk. Limits: the api's resident memory under 250 MB, and at least half the plain speed. The file is in BGZF
 * blocks, as sequencers write it. ROUNDS=n changes the three rounds, MB=n the size.
 */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, createWriteStream, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Agent, type IncomingMessage, type RequestOptions, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { crc32, deflateRawSync } from 'node:zlib';
import { API, type RestClient } from '../../scripts/demo/rest-client.ts';
import { processesOf } from '../support/processes.ts';
import { startProduct } from '../support/product.ts';
import { ADMIN } from '../support/sign-in.ts';

const MAX_RSS_MB = 250;
const MIN_RATIO = 0.5;
/** Size of the console's PATCH requests: large enough for low overhead, small enough for proxies. */
const CHUNK = 64 * 1024 * 1024;
const SIZE = Number(process.env['MB'] ?? 2048) * 1024 * 1024;
const ROUNDS = Number(process.env['ROUNDS'] ?? 3);

const folder = mkdtempSync(join(tmpdir(), 'seqpanel-bench-'));
const product = await startProduct();
try {
  const file = join(folder, 'bench.fastq.gz');
  await writeFastq(file, SIZE);
  const { size } = await stat(file);
  const client = await product.admin();
  const token = await logInToken();
  const { group, project } = await prepare(client);
  const api = processesOf(product.dataDir).find(({ kind }) => kind === 'api');
  if (!api) throw new Error('no api process was found');

  const plain: number[] = [];
  const uploaded: number[] = [];
  for (let round = 1; round <= ROUNDS; round++) {
    plain.push(await seconds(async () => copyAndHash(file, join(folder, 'copy'))));
    uploaded.push(await seconds(() => upload(token, group, project, file, `round${round}.fastq.gz`, size)));
    const speed = (all: number[]) => `${Math.round(size / 1e6 / all.at(-1)!)} MB/s`;
    console.log(`round ${round}: cp and sha256sum ${speed(plain)}, upload ${speed(uploaded)}`);
    const listed = await client.get<{ results: { id: string }[] }>(`${API}/${group}/projects/${project}/filelist`);
    await client.post(`${API}/${group}/project-files/${listed.results[0]!.id}/delete`);
  }
  const ratio = median(plain) / median(uploaded);
  const rss = peakRssMb(api.pid);
  const gb = (size / 1024 ** 3).toFixed(2);
  console.log(
    `upload of ${gb} GB: ${(median(uploaded)).toFixed(1)} s, plain ${median(plain).toFixed(1)} s, ratio ${ratio.toFixed(2)} (at least ${MIN_RATIO}); api at most ${rss} MB resident (under ${MAX_RSS_MB})`,
  );
  process.exitCode = ratio >= MIN_RATIO && rss < MAX_RSS_MB ? 0 : 1;
} finally {
  await product.dispose();
  rmSync(folder, { recursive: true, force: true });
}

async function logInToken(): Promise<string> {
  const answer = await fetch(`${product.url}/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(ADMIN),
  });
  return ((await answer.json()) as { token: string }).token;
}

async function prepare(client: RestClient): Promise<{ group: string; project: string }> {
  const { user_id } = await client.get<{ user_id: string }>(`${API}/profile`);
  const members = [{ user_id, is_default: true }];
  const group = (await client.post<{ id: string }>(`${API}/admin/groups`, { name: 'bench', members })).id;
  return { group, project: (await client.post<{ id: string }>(`${API}/${group}/projects`, { name: 'bench' })).id };
}

/**
 * Sends one PATCH after another over one connection. Uses node:http directly, because the client should use little
 * processor time.
 */
async function upload(token: string, group: string, project: string, path: string, name: string, size: number) {
  const metadata = Object.entries({ project, filename: name }).map(
    ([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`,
  );
  const headers = { authorization: `Bearer ${token}`, 'tus-resumable': '1.0.0' };
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const created = await send(`${API}/${group}/uploads`, {
    agent,
    method: 'POST',
    headers: { ...headers, 'upload-length': String(size), 'upload-metadata': metadata.join(',') },
  });
  for (let offset = 0; offset < size; ) {
    const end = Math.min(offset + CHUNK, size);
    const patch = {
      agent,
      method: 'PATCH',
      headers: {
        ...headers,
        'upload-offset': String(offset),
        'content-type': 'application/offset+octet-stream',
        'content-length': String(end - offset),
      },
    };
    const body = createReadStream(path, { start: offset, end: end - 1, highWaterMark: 1 << 20 });
    const answer = await send(created.headers.location!, patch, body);
    offset = Number(answer.headers['upload-offset']);
  }
  agent.destroy();
}

async function send(path: string, options: RequestOptions, body?: Readable): Promise<IncomingMessage> {
  const req = request(new URL(path, product.url), options);
  const answered = once(req, 'response') as Promise<[IncomingMessage]>;
  if (body) await pipeline(body, req);
  else req.end();
  const [answer] = await answered;
  const text = await answer.setEncoding('utf8').toArray();
  if (answer.statusCode! >= 300) throw new Error(`${answer.statusCode} ${text.join('')}`);
  return answer;
}

function copyAndHash(from: string, to: string): void {
  execFileSync('cp', [from, to]);
  execFileSync('sha256sum', [to]);
  rmSync(to);
}

async function seconds(work: () => void | Promise<void>): Promise<number> {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1000;
}

/** Writes reads with random bases and qualities in BGZF blocks: a piece of some MB, repeated up to the size. */
async function writeFastq(path: string, size: number): Promise<void> {
  let seed = 1;
  const random = (n: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff;
    return (seed >> 8) % n;
  };
  const text = (letters: string): string => Array.from({ length: 150 }, () => letters[random(letters.length)]).join('');
  const blocks: Buffer[] = [];
  for (let i = 0; i < 400; i++) {
    const records = Array.from(
      { length: 150 },
      (_, j) => `@M0:1:FC:1:${i}:${j}:1 1:N:0:AC\n${text('ACGT')}\n+\n${text('FFFFF:,#')}\n`,
    );
    blocks.push(block(Buffer.from(records.join(''))));
  }
  const piece = Buffer.concat(blocks);
  const pieces = Math.floor(size / piece.length);
  await pipeline(
    Readable.from(
      (function* () {
        for (let i = 0; i < pieces; i++) yield piece;
      })(),
    ),
    createWriteStream(path),
  );
}

function block(content: Buffer): Buffer {
  const deflated = deflateRawSync(content);
  const head = Buffer.from('1f8b08040000000000ff0600424302000000', 'hex');
  head.writeUInt16LE(head.length + deflated.length + 8 - 1, 16);
  const tail = Buffer.alloc(8);
  tail.writeUInt32LE(crc32(content), 0);
  tail.writeUInt32LE(content.length, 4);
  return Buffer.concat([head, deflated, tail]);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

/** Returns the highest resident memory of the process. */
function peakRssMb(pid: number): number {
  return Math.round(Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024);
}
