/** Faults of storage: full for a step, for an upload, and for the files of a launch. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { API } from '../../../scripts/demo/rest-client.ts';
import { eventually } from '../../cluster/kube-http.ts';
import type { Fault, Round } from './round.ts';
import { fill } from './small-disk.ts';

/** Sends bytes of an upload from the server's offset. Returns the status. */
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
    // The Job controller waits 10 s before it retries a failed index, then 20 s.
    within: 60,
    run: async (round) => {
      round.lab.tell('really', 'reads');
      round.afterwards(() => round.lab.untell('really', 'reads'));
      const [one] = await round.launchHeld('reads', 1);
      const room = fill(round, round.product.storageDir);
      round.release('reads');
      // Reported by Kubernetes, because the program's own records do not fit on the disk either.
      await eventually('the step failed', async () => (await round.podsOf(one!.id, 'reads', 'Failed')).length > 0, 60);
      room();
      await round.lifted();
    },
  },
  {
    name: 'storage full when a launch is carried out',
    needs: 'disk',
    within: 15,
    run: async (round) => {
      const room = fill(round, round.product.storageDir);
      await round.launch();
      await wait(3000);
      if ((await round.resources()).some(({ metadata }) => metadata.name === round.tasks[0]!.id))
        throw new Error('the resource was made before its files were on the storage');
      room();
      await round.lifted();
    },
  },
  {
    name: 'storage full during an upload, which resumes when there is room',
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
      const room = fill(round, round.product.storageDir);
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
