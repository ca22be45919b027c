/** Security headers of every answer. */
import helmet from 'helmet';

/**
 * Nothing may be loaded from, or sent to, another host: `connect-src 'self'` also stops igv.js from asking igv.org for
 * genes. igv and PatternFly write style attributes, igv runs workers from blobs. Plain http is served (a proxy adds TLS),
 * so neither HSTS nor upgrade-insecure-requests is set here.
 */
export const securityHeaders = () =>
  helmet({
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
