/** Security headers of every answer. */
import type { RequestHandler } from 'express';
import helmet from 'helmet';

/** ASVS 3.4.1 asks for a year. No includeSubDomains: other hosts of the laboratory's domain are not ours to bind. */
const HSTS = 'max-age=31536000';

/**
 * Nothing may be loaded from, or sent to, another host: `connect-src 'self'` also stops igv.js from asking igv.org for
 * genes. igv and PatternFly write style attributes, igv runs workers from blobs. Plain http is served (a proxy adds TLS),
 * so upgrade-insecure-requests is not set.
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
 * HSTS only where TLS ends at a proxy that is trusted (SEQPANEL_TRUST_PROXY). Answers are not stored, in browsers and
 * proxies: they hold results of patients. The console's files replace that with headers of their own.
 */
export function securityHeaders(): RequestHandler {
  return (req, res, next) => {
    if (req.secure) res.setHeader('Strict-Transport-Security', HSTS);
    res.setHeader('Cache-Control', 'no-store');
    contentHeaders(req, res, next);
  };
}
