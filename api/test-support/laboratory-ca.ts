/** A private CA, such as laboratories have, and a certificate it signed. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SecurePlace } from './identity-provider.ts';

/** Creates a private CA and a certificate for the address and names. */
export function makeLaboratoryCa(address: string, ...names: string[]): { ca: string; place: SecurePlace } {
  const folder = mkdtempSync(join(tmpdir(), 'seqpanel-ca-'));
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' });
  const key = (name: string) => [
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    '-nodes',
    '-keyout',
    name,
  ];
  const read = (name: string) => readFileSync(join(folder, name), 'utf8');
  try {
    openssl(
      ...['req', '-x509', '-days', '2', '-subj', '/CN=Laboratory CA', ...key('ca.key'), '-out', 'ca.crt'],
      ...['-addext', 'basicConstraints=critical,CA:true', '-addext', 'keyUsage=critical,keyCertSign'],
    );
    openssl('req', '-subj', `/CN=${address}`, ...key('key'), '-out', 'request');
    const subjects = [`IP:${address}`, ...names.map((name) => `DNS:${name}`)].join(',');
    writeFileSync(join(folder, 'names'), `subjectAltName=${subjects}\nextendedKeyUsage=serverAuth\n`);
    openssl(
      ...['x509', '-req', '-in', 'request', '-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial'],
      ...['-days', '2', '-extfile', 'names', '-out', 'crt'],
    );
    return { ca: read('ca.crt'), place: { address, key: read('key'), cert: read('crt') } };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
