/** The product's version, put in at build time. */
declare const __APP_VERSION__: string;
