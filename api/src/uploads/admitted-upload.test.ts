import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startApi, type TestApi, type TestUser } from '../../test-support/api.ts';
import { rawRequest } from '../../test-support/raw-request.ts';
import { createUpload, sendBytes } from '../../test-support/tus.ts';

let api: TestApi;
let group: string;
let users: Record<'attacker' | 'victim', TestUser>;
/** Path of each caller's upload, which has 5 of 10 bytes. */
let locations: Record<'attacker' | 'victim', string>;
let project: string;

beforeAll(async () => {
  api = await startApi();
  group = await api.addGroup();
  users = {
    attacker: await api.addUser({ groups: { [group]: 'member' } }),
    victim: await api.addUser({ groups: { [group]: 'member' } }),
  };
  const { token } = users.victim;
  project = (await api.call('POST', `/api/v1/pivat/${group}/projects`, { token, body: { name: 'p' } })).body.id;
});
afterAll(() => api?.close());

beforeEach(async () => {
  const start = async (name: 'attacker' | 'victim'): Promise<string> => {
    const target = { api, user: users[name], group, project };
    const location = (await createUpload(target, `${name}.fq`, 10)).headers.get('location')!;
    await sendBytes(target, location, 0, Buffer.from('12345'));
    return location;
  };
  locations = { attacker: await start('attacker'), victim: await start('victim') };
});

const idOf = (location: string): string => location.split('/').at(-1)!;
const bytesOf = (id: string): string => {
  const path = join(api.storageDir, 'projects', group, project, `.upload-${id}`);
  return existsSync(path) ? readFileSync(path, 'utf8') : 'gone';
};

describe.each(['DELETE', 'HEAD'])('%s of an own upload', (method) => {
  test.each(['?x=/VICTIM', '?/VICTIM', '/?x=/VICTIM', '#/VICTIM', ';/VICTIM', '%2FVICTIM', '/../VICTIM'])(
    "with %s behind it leaves another's alone and says nothing of it",
    async (suffix) => {
      const victim = idOf(locations.victim);
      const path = `${locations.attacker}${suffix.replace('VICTIM', victim)}`;
      const answer = await rawRequest(api.url, method, path, {
        authorization: `Bearer ${users.attacker.token}`,
        'tus-resumable': '1.0.0',
      });
      expect(await api.deps.db('upload').where({ id: victim })).toHaveLength(1);
      expect(bytesOf(victim)).toBe('12345');
      expect([400, 404]).toContain(answer.status);
      expect(bytesOf(idOf(locations.attacker))).toBe('12345');
    },
  );

  test('at the path of another user answers 404', async () => {
    const answer = await rawRequest(api.url, method, locations.victim, {
      authorization: `Bearer ${users.attacker.token}`,
      'tus-resumable': '1.0.0',
    });
    expect(answer.status).toBe(404);
    expect(bytesOf(idOf(locations.victim))).toBe('12345');
  });
});

test('an upload whose id is no UUID is refused', async () => {
  const answer = await rawRequest(api.url, 'HEAD', `/api/v1/pivat/${group}/uploads/12`, {
    authorization: `Bearer ${users.attacker.token}`,
    'tus-resumable': '1.0.0',
  });
  expect(answer.status).toBe(400);
});
