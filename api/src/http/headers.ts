/** Security headers of every answer. */
import type { RequestHandler } from 'express';
import helmet from 'helmet';

/** One year (ASVS 3.4.1). No includeSubDomains, because other hosts of the laboratory's domain are not ours. */
const HSTS = 'max-age=31536000';

/**
 * Nothing may be loaded from or sent to another host. `connect-src 'self'` also stops igv.js from requesting genes from
 * igv.org. igv and PatternFly write style attributes, and igv runs workers from blobs. No upgrade-insecure-requests,
 * because the api serves plain http behind a TLS proxy.
 */
const contentHeaders = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'self'"],
      scriptSrc: ["'self'"],
      workerSrc: ["'self'", 'blob:'],
      styleSrc: ["'self'", "'unsafe-inline'"],
      imgSrc: ["'self'", 'data:', 'blob:'],
      fontSrc: ["'self'", 'data:'],
      connectSrc: ["'self'"],
      objectSrc: ["'none'"],
      baseUri: ["'self'"],
      formAction: ["'self'"],
      frameAncestors: ["'none'"],
    },
  },
  strictTransportSecurity: false,
  crossOriginEmbedderPolicy: false,
  originAgentCluster: false,
});

/**
 * Sends HSTS only behind a trusted TLS proxy (SEQPANEL_TRUST_PROXY). Forbids browsers and proxies to store answers,
 * because they hold patients' results. The console's files override that.
 */
export function securityHeaders(): RequestHandler {
  return (req, res, next) => {
    if (req.secure) res.setHeader('Strict-Transport-Security', HSTS);
    res.setHeader('Cache-Control', 'no-store');
    contentHeaders(req, res, next);
  };
}
