/** The storage is full for a step, for an upload, and for the files of a launch. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { API } from '../../../operator/src/local/demo/rest-client.ts';
import type { Fault, Round } from './round.ts';

const SIZE_MB = 96;
const PREFIX = 'seqpanel-small-disk-';

/** A folder on a file system of its own, or why there can be none. */
export function mountSmallDisk(): { folder: string } | { skipped: string } {
  unmountLeftOver();
  const folder = mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE_MB}m`, 'tmpfs', folder], { stdio: 'pipe' });
    return { folder };
  } catch {
    rmSync(folder, { recursive: true, force: true });
    return { skipped: 'a small file system cannot be mounted here (needs root)' };
  }
}

export function unmountSmallDisk(folder: string): void {
  execFileSync('umount', ['-l', folder], { stdio: 'pipe' });
  rmSync(folder, { recursive: true, force: true });
}

/** Those of runs that were killed. */
function unmountLeftOver(): void {
  const alive = new Set(readdirSync('/proc'));
  for (const line of readFileSync('/proc/mounts', 'utf8').split('\n')) {
    const folder = line.split(' ')[1] ?? '';
    const pid = folder.startsWith(join(tmpdir(), PREFIX)) && folder.split(PREFIX)[1]!.split('-')[0]!;
    if (pid && !alive.has(pid)) unmountSmallDisk(folder);
  }
}

/** Leaves no byte on the storage; gives back the function that makes room again. */
function fill(round: Round): () => void {
  const file = join(round.product.storageDir, '.filler');
  const room = () => rmSync(file, { force: true });
  round.afterwards(room);
  const { bavail, bsize } = statfsSync(round.product.storageDir);
  // The last blocks go byte by byte into the file, until nothing is left.
  for (let left = bavail * bsize; left >= bsize; left = statfsSync(round.product.storageDir).bavail * bsize)
    writeFileSync(file, Buffer.alloc(left), { flag: 'a' });
  return room;
}

/** Sends bytes of an upload from where the server is; the status. */
async function send({ lab }: Round, location: string, bytes: Buffer): Promise<number> {
  const tus = { 'tus-resumable': '1.0.0' };
  const head = await lab.client.raw(location, { method: 'HEAD', headers: tus });
  const offset = Number(head.headers.get('upload-offset'));
  const headers = { ...tus, 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream' };
  const body = new Uint8Array(bytes.subarray(offset));
  return (await lab.client.raw(location, { method: 'PATCH', headers, body })).status;
}

export const STORAGE_FAULTS: Fault[] = [
  {
    name: 'storage full while a step writes',
    needs: 'disk',
    // The Job controller waits 10 s before it starts a failed index again, then 20 s.
    within: 60,
    run: async (round) => {
      round.lab.tell('really', 'reads');
      round.afterwards(() => round.lab.untell('really', 'reads'));
      const [one] = await round.launchHeld('reads', 1);
      const room = fill(round);
      round.release('reads');
      const failed = () => round.lab.runs(one!.id).some((line) => /^end reads .* [^0]\d*$/.test(line));
      for (let waited = 0; !failed(); waited += 100) {
        if (waited > 60_000) throw new Error('the step did not fail on the full storage');
        await wait(100);
      }
      room();
      await round.lifted();
    },
  },
  {
    name: 'storage full when a launch is to be carried out',
    needs: 'disk',
    within: 15,
    run: async (round) => {
      const room = fill(round);
      await round.launch();
      await wait(3000);
      if ((await round.resources()).some(({ metadata }) => metadata.name === round.tasks[0]!.id))
        throw new Error('the resource was made before its files were on the storage');
      room();
      await round.lifted();
    },
  },
  {
    name: 'storage full during an upload, which goes on when there is room',
    needs: 'disk',
    within: 15,
    run: async (round) => {
      const { lab } = round;
      const name = `${round.name.replaceAll(/\W/g, '-')}_S1_L001_R1_001.fastq.gz`;
      const source = readdirSync(join(round.product.storageDir, 'incoming/tiny')).find((file) => /S1_R1/.test(file))!;
      const bytes = readFileSync(join(round.product.storageDir, 'incoming/tiny', source));
      const metadata = Object.entries({ project: lab.project, filename: name });
      const created = await lab.client.raw(`${API}/${lab.group}/uploads`, {
        method: 'POST',
        headers: {
          'tus-resumable': '1.0.0',
          'upload-length': String(bytes.length),
          'upload-metadata': metadata
            .map(([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`)
            .join(','),
        },
      });
      if (created.status !== 201) throw new Error(`the upload was not begun: ${created.status}`);
      const location = new URL(created.headers.get('location')!, lab.client.baseUrl).pathname;
      const room = fill(round);
      const refused = await send(round, location, bytes).catch(() => 0);
      if (refused === 204) throw new Error('an upload onto a full storage was taken');
      room();
      const taken = await lab.insist(async () => {
        const status = await send(round, location, bytes);
        if (status !== 204) throw Object.assign(new Error(`the upload did not go on: ${status}`), { status: 503 });
        return status;
      }, 30);
      if (taken !== 204) throw new Error(`the upload did not go on: ${taken}`);
      await round.launch();
      await round.lifted();
    },
  },
];
