/** A real LDAP server (Debian's slapd) with a few users, on a free port and in a temporary folder. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createConnection, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SecurePlace } from './identity-provider.ts';

const SUFFIX = 'dc=lab,dc=example';

export interface DirectoryServer {
  url: string;
  startTls: boolean;
  bindDn: string;
  bindPassword: string;
  searchBase: string;
  close(): Promise<void>;
}

/** `people`: password by username. With `place` it offers only ldaps, or else StartTLS. */
export async function startDirectory(
  people: Record<string, string>,
  place?: SecurePlace,
  { startTls = false } = {},
): Promise<DirectoryServer> {
  const folder = mkdtempSync(join(tmpdir(), 'seqpanel-ldap-'));
  mkdirSync(join(folder, 'db'));
  const bindPassword = 'reader-secret';
  const entry = (dn: string, lines: string[]) => `dn: ${dn}\n${lines.join('\n')}\n`;
  const persons = Object.entries(people).map(([uid, password]) =>
    entry(`uid=${uid},ou=people,${SUFFIX}`, [
      ...['objectClass: inetOrgPerson', `uid: ${uid}`, `cn: ${uid}`, `sn: ${uid}`, `userPassword: ${password}`],
    ]),
  );
  writeFileSync(
    join(folder, 'people.ldif'),
    [
      entry(SUFFIX, ['objectClass: dcObject', 'objectClass: organization', 'o: Lab', 'dc: lab']),
      entry(`ou=people,${SUFFIX}`, ['objectClass: organizationalUnit', 'ou: people']),
      ...persons,
    ].join('\n'),
  );
  if (place) for (const part of ['key', 'cert'] as const) writeFileSync(join(folder, part), place[part]);
  writeFileSync(
    join(folder, 'slapd.conf'),
    [
      ...['core', 'cosine', 'inetorgperson'].map((schema) => `include /etc/ldap/schema/${schema}.schema`),
      'modulepath /usr/lib/ldap',
      'moduleload back_mdb',
      `pidfile ${folder}/pid`,
      ...(place ? [`TLSCertificateKeyFile ${folder}/key`, `TLSCertificateFile ${folder}/cert`] : []),
      // Accepts no password before StartTLS.
      ...(startTls ? ['security simple_bind=128'] : []),
      'database mdb',
      `suffix "${SUFFIX}"`,
      `rootdn "cn=reader,${SUFFIX}"`,
      `rootpw ${bindPassword}`,
      `directory ${folder}/db`,
      'access to attrs=userPassword by anonymous auth by * none',
      'access to * by dn.exact="cn=reader,dc=lab,dc=example" read by * none',
    ].join('\n'),
  );
  execFileSync('/usr/sbin/slapadd', ['-f', join(folder, 'slapd.conf'), '-l', join(folder, 'people.ldif')]);
  const address = place?.address ?? '127.0.0.1';
  const port = await freePort(address);
  const url = `ldap${place && !startTls ? 's' : ''}://${address}:${port}`;
  const server = spawn('/usr/sbin/slapd', ['-d', '0', '-h', `${url}/`, '-f', join(folder, 'slapd.conf')], {
    stdio: 'ignore',
  });
  await listening(address, port);
  return {
    url,
    startTls,
    bindDn: `cn=reader,${SUFFIX}`,
    bindPassword,
    searchBase: `ou=people,${SUFFIX}`,
    close: async () => {
      // A test that stops the directory closes it before the hook does.
      if (server.exitCode === null && server.signalCode === null) {
        const gone = once(server, 'exit');
        server.kill('SIGKILL');
        await gone;
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function freePort(address: string): Promise<number> {
  const server = createServer();
  await once(server.listen(0, address), 'listening');
  const { port } = server.address() as AddressInfo;
  await once(server.close(), 'close');
  return port;
}

async function listening(address: string, port: number): Promise<void> {
  for (let i = 0; i < 300; i++) {
    const socket = createConnection(port, address);
    const open = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'error').then(() => false),
    ]).catch(() => false);
    socket.destroy();
    if (open) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('slapd did not start');
}
