/** The product's version, set at build time. */
declare const __APP_VERSION__: string;
