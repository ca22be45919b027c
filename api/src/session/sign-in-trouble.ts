/** Explains to operators why a directory or provider cannot be used and which setting to change. */

/** Node's error codes for an untrusted certificate. */
const CERTIFICATE = /^(UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|CERT_|ERR_TLS_CERT_)/;
const NETWORK =
  /^(ECONN|ENOTFOUND|EAI_|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|UND_ERR_(CONNECT|HEADERS|SOCKET)|OAUTH_TIMEOUT)/;

/** Explains why a connection failed, or returns undefined for other errors. */
export function connectionTrouble(error: unknown): string | undefined {
  const codes = codesOf(error);
  const certificate = codes.find((code) => CERTIFICATE.test(code));
  if (certificate)
    return (
      `its certificate is not trusted (${certificate}): give the CA that signed it (caBundle of the chart, ` +
      'NODE_EXTRA_CA_CERTS elsewhere), and its URL as the certificate names it'
    );
  const network = codes.find((code) => NETWORK.test(code));
  if (network) return `it cannot be reached (${network}): check its URL, the proxy and the network policies`;
  return undefined;
}

/** Codes of an error and its causes. */
function codesOf(error: unknown): string[] {
  if (typeof error !== 'object' || error === null) return [];
  const { code, message, cause } = error as { code?: unknown; message?: string; cause?: unknown };
  // ldapts times out without a code.
  const late = /timeout|timed out/i.test(message ?? '') ? ['ETIMEDOUT'] : [];
  return [...(typeof code === 'string' ? [code] : []), ...late, ...codesOf(cause)];
}
