import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { WebSocket } from 'ws';
import { startApi, type TestApi } from '../../test-support/api.ts';
import { aLaboratory, type Laboratory } from '../../test-support/laboratory.ts';
import { type Callers, rightsCallers, UNUSABLE } from '../../test-support/rights-callers.ts';
import { FILE_TOKEN_HOURS } from '../session/tokens.ts';

let api: TestApi;
let lab: Laboratory;
let file: string;
let callers: Callers;
beforeAll(async () => {
  api = await startApi();
  lab = await aLaboratory(api);
  file = await lab.addFile('S3_R1.fastq', 'the content');
  callers = await rightsCallers(api, lab, file);
});
afterAll(() => api?.close());

describe('an unusable token opens no websocket', () => {
  const address = (): string => `${api.url.replace('http', 'ws')}/ws`;

  test.each(UNUSABLE)('%s in the header', async (caller) => {
    const socket = new WebSocket(address(), { headers: { authorization: `Bearer ${callers.tokens[caller]}` } });
    const [code] = await once(socket, 'close');
    expect(code).toBe(4401);
  });

  test.each(UNUSABLE)('%s in the first message', async (caller) => {
    const socket = new WebSocket(address());
    await once(socket, 'open');
    socket.send(JSON.stringify({ token: callers.tokens[caller] }));
    const [code] = await once(socket, 'close');
    expect(code).toBe(4401);
  });
});

describe('a download is refused', () => {
  const tokenOf = async (id: string, token = callers.tokens.member): Promise<string> => {
    const path = `/api/v1/pivat/${lab.group}/project-files/${id}/generate-token`;
    return (await api.call('GET', path, { token })).body.token;
  };
  const download = (token: string, bearer?: string) =>
    api.call('GET', `/api/v1/pivat/project-files/${file}/download?token=${token}`, { token: bearer });

  test('with a token of another file, and accepted with its own token', async () => {
    const other = await lab.addFile('S4_R1.fastq');
    expect(await download(await tokenOf(file))).toMatchObject({ status: 200 });
    expect(await download(await tokenOf(other))).toMatchObject({ status: 401, body: { code: 'token_invalid' } });
  });

  test('with an access token in its place, for members and staff', async () => {
    for (const caller of ['member', 'group admin', 'staff', 'superuser'] as const) {
      const token = callers.tokens[caller]!;
      expect([caller, (await download(token, token)).status]).toEqual([caller, 401]);
    }
  });

  test('when the token has expired', async () => {
    const token = await tokenOf(file);
    api.advance(FILE_TOKEN_HOURS * 3600);
    expect((await download(token)).status).toBe(401);
    api.advance(-FILE_TOKEN_HOURS * 3600);
    expect((await download(token)).status).toBe(200);
  });

  test('when its session has been logged out', async () => {
    const user = await api.addUser({ groups: { [lab.group]: 'member' } });
    const token = await tokenOf(file, user.token);
    expect((await download(token)).status).toBe(200);
    await api.call('POST', '/auth/logout', { token: user.token, body: { refresh_token: user.refresh } });
    expect(await download(token)).toMatchObject({ status: 401, body: { code: 'token_invalid' } });
  });

  test('when the file has been deleted', async () => {
    const gone = await lab.addFile('S5_R1.fastq');
    const token = await tokenOf(gone);
    await api.call('POST', `/api/v1/pivat/${lab.group}/project-files/${gone}/delete`, { token: lab.user.token });
    const answer = await api.call('GET', `/api/v1/pivat/project-files/${gone}/download?token=${token}`);
    expect(answer).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });
});
