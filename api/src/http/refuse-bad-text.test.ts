import { startApi, type TestApi, type TestUser } from '../../test-support/api.ts';
import { addGenome, aPanel, GENOME, panelFileOf, panelForm } from '../../test-support/panels.ts';
import { badTextIn } from './refuse-bad-text.ts';

test.each([
  [{ a: [{ b: 'x\0' }] }, '/a/0/b'],
  [['\ud800'], '/0'],
  [{ a: { 'b\0': 1 } }, '/a'],
  ['\0', ''],
])('%j holds bad text at %j', (value, path) => {
  expect(badTextIn(value)).toBe(path);
});

test.each([[{ a: ['样本', '😀', 1, null, true, {}] }], [undefined], ['']])('%j holds none', (value) => {
  expect(badTextIn(value)).toBeUndefined();
});

test('nesting of any depth is searched', () => {
  const depth = 100_000;
  const nested = JSON.parse(`${'['.repeat(depth)}"\\u0000"${']'.repeat(depth)}`);
  expect(badTextIn(nested)).toBe('/0'.repeat(depth));
});

describe('NUL', () => {
  let api: TestApi;
  let staff: TestUser;
  let group: string;
  beforeAll(async () => {
    api = await startApi();
    await addGenome(api.deps.db);
    group = await api.addGroup();
    staff = await api.addUser({ staff: true, groups: { [group]: 'admin' } });
  });
  afterAll(() => api?.close());

  test.each([
    ['a user name', 'POST', '/auth/login', { username: 'x\0', password: 'y' }],
    ['a password', 'POST', '/auth/login', { username: 'x', password: '\0' }],
    ['a project', 'POST', '/api/v1/pivat/0/projects', { name: 'x\0' }],
    ['half a surrogate pair', 'POST', '/auth/login', { username: '\ud800', password: 'y' }],
  ])('in %s is refused', async (_title, method, path, body) => {
    expect(await api.call(method, path, { token: staff.token, body })).toMatchObject({
      status: 400,
      body: { code: 'request_invalid', details: { problems: [{ field: expect.stringMatching(/^body\//) }] } },
    });
  });

  test('in a query is refused', async () => {
    const answer = await api.call('GET', '/api/v1/pivat/0/tasks?q=%00', { token: staff.token });
    expect(answer).toMatchObject({ status: 400, body: { details: { problems: [{ field: 'query/q' }] } } });
  });

  test('in a field of a form is refused', async () => {
    const form = panelForm({ display_name: 'x\0', value: 'p1', genome: GENOME }, {});
    const answer = await api.call('POST', '/api/v1/pivat/admin/panel_types', { token: staff.token, form });
    expect(answer).toMatchObject({ status: 400, body: { code: 'request_invalid' } });
  });

  test.each(['\0', '\ud800'])('%j in a text of a panel file is refused', async (text) => {
    const file = panelFileOf(aPanel('p2', { version: `1${text}` }));
    const form = panelForm({ display_name: 'P2', value: 'p2', genome: GENOME }, { panel_file: file });
    const answer = await api.call('POST', '/api/v1/pivat/admin/panel_types', { token: staff.token, form });
    expect(answer.status).toBe(400);
  });

  test("in an upload's metadata is refused", async () => {
    const encoded = (value: string): string => Buffer.from(value).toString('base64');
    const answer = await fetch(`${api.url}/api/v1/pivat/${group}/uploads`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${staff.token}`,
        'tus-resumable': '1.0.0',
        'upload-length': '10',
        'upload-metadata': `project ${encoded('x\0')},filename ${encoded('a.fq')}`,
      },
    });
    expect(answer.status).toBe(404);
  });
});
