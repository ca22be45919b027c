import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startApi, type TestApi } from '../../test-support/api.ts';
import { createTestDatabase } from '../../test-support/postgres.ts';

test('the first administrator gets a one-time password in a private file, once; its first change deletes the file', async () => {
  const fresh = await createTestDatabase();
  const folder = mkdtempSync(join(tmpdir(), 'seqpanel-first-'));
  const file = join(folder, 'first-admin.txt');
  const first = await startApi({ database: fresh, firstAdminFile: file, start: true });
  try {
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const text = readFileSync(file, 'utf8');
    const password = /^password: (.+)$/m.exec(text)![1]!;
    const session = await first.call('POST', '/auth/login', { body: { username: 'admin', password } });
    expect(session.body.profile).toMatchObject({ is_staff: true, is_superuser: true, must_change_password: true });
    const second = await startApi({ database: fresh, firstAdminFile: file, start: true });
    await second.close();
    expect(readFileSync(file, 'utf8')).toBe(text);
    const body = { current_password: password, new_password: 'Newer-Horse8', repeat_password: 'Newer-Horse8' };
    expect(
      (await first.call('POST', '/api/v1/pivat/profile/password', { token: session.body.token, body })).status,
    ).toBe(204);
    expect(existsSync(file)).toBe(false);
    const again = await first.call('POST', '/auth/login', { body: { username: 'admin', password: 'Newer-Horse8' } });
    expect(again.body.profile.must_change_password).toBe(false);
  } finally {
    await first.close();
    await fresh.close();
    rmSync(folder, { recursive: true });
  }
});

test('the first administrator’s password can be read from a file; an invalid one stops the start with the name of the setting', async () => {
  const fresh = await createTestDatabase();
  const folder = mkdtempSync(join(tmpdir(), 'seqpanel-first-'));
  const file = join(folder, 'first-admin-password');
  const start = () => startApi({ database: fresh, firstAdminPasswordFile: file, start: true });
  try {
    writeFileSync(file, 'too-simple');
    await expect(start()).rejects.toThrow(/SEQPANEL_FIRST_ADMIN_PASSWORD_FILE: .*first-admin-password: /);
    writeFileSync(file, 'Aa1-given-by-a-secret\n');
    const api = await start();
    const body = { username: 'admin', password: 'Aa1-given-by-a-secret' };
    expect((await api.call('POST', '/auth/login', { body })).body.profile).toMatchObject({
      must_change_password: true,
    });
    await api.close();
  } finally {
    await fresh.close();
    rmSync(folder, { recursive: true });
  }
});

test('a given password works only after the first start and until it is changed', async () => {
  const fresh = await createTestDatabase();
  const folder = mkdtempSync(join(tmpdir(), 'seqpanel-first-'));
  const file = join(folder, 'first-admin-password');
  const start = () => startApi({ database: fresh, firstAdminPasswordFile: file, start: true });
  const logIn = (api: TestApi, password: string) =>
    api.call('POST', '/auth/login', { body: { username: 'admin', password } });
  try {
    await expect(start()).rejects.toThrow(/SEQPANEL_FIRST_ADMIN_PASSWORD_FILE: .* cannot be read \(ENOENT\)/);
    writeFileSync(file, 'Aa1-given-by-a-secret');
    const first = await start();
    const { token } = (await logIn(first, 'Aa1-given-by-a-secret')).body;
    const body = {
      current_password: 'Aa1-given-by-a-secret',
      new_password: 'Newer-Horse8',
      repeat_password: 'Newer-Horse8',
    };
    await first.call('POST', '/api/v1/pivat/profile/password', { token, body });
    await first.close();
    writeFileSync(file, 'Aa1-another-secret');
    const second = await start();
    for (const password of ['Aa1-given-by-a-secret', 'Aa1-another-secret'])
      expect((await logIn(second, password)).body.code).toBe('login_failed');
    expect((await logIn(second, 'Newer-Horse8')).status).toBe(200);
    await second.close();
    rmSync(file);
    await (await start()).close();
  } finally {
    await fresh.close();
    rmSync(folder, { recursive: true });
  }
});
