// One configuration, a project a package: each runs alone with `npm run jest -- --selectProjects api`.
const swc = (tsx) => [
  '@swc/jest',
  {
    module: { type: 'es6' },
    jsc: {
      target: 'es2022',
      parser: { syntax: 'typescript', tsx },
      transform: tsx ? { react: { runtime: 'automatic' } } : {},
    },
  },
];

const node = (name, extra = {}) => ({
  displayName: name,
  rootDir: import.meta.dirname,
  roots: [`<rootDir>/${name}`],
  testMatch: ['**/*.test.ts'],
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '\\.ts$': swc(false) },
  transformIgnorePatterns: ['/node_modules/'],
  ...extra,
});

export default {
  testTimeout: 60_000,
  projects: [
    node('crds'),
    node('operator'),
    node('api'),
    node('pipeline-images'),
    node('tests'),
    node('scripts'),
    {
      displayName: 'console',
      rootDir: `${import.meta.dirname}/console`,
      testMatch: ['**/*.test.ts', '**/*.test.tsx'],
      testEnvironment: 'jest-fixed-jsdom',
      transform: { '\\.[cm]?[jt]sx?$': ['@swc/jest', { ...swc(true)[1], module: { type: 'commonjs' } }] },
      transformIgnorePatterns: [
        '/node_modules/(?!(@patternfly|igv|victory[^/]*|d3-[^/]*|internmap|delaunay-find|delaunator|robust-predicates|i18next|react-i18next|openapi-fetch|tus-js-client)/)',
      ],
      moduleNameMapper: { '\\.css$': '<rootDir>/test/style-stub.js', '\\.(svg|png)$': '<rootDir>/test/style-stub.js' },
      setupFilesAfterEnv: ['<rootDir>/test/setup.ts'],
    },
  ],
};
