import { expect, test } from '@jest/globals';
import { buildDocument } from './document.ts';

const V1 = '/api/v1/pivat';
const G = `${V1}/{group}`;

/** Calls of the requirements, with the id of each. Written by hand, so that a call cannot leave the document unseen. */
const SPECIFIED = `
10 POST /auth/login
11 POST ${V1}/api-token-verify
12 GET ${V1}/profile
13 POST ${V1}/api-token-refresh
16 POST /auth/logout
17 GET ${V1}/constance
18 PUT ${V1}/constance
19 GET ${V1}/admin/panel_types
20 GET ${V1}/admin/panel_types/{id}
21 POST ${V1}/admin/panel_types
22 PUT ${V1}/admin/panel_types/{id}
23 GET ${V1}/admin/data_sources
24 GET ${V1}/admin/data_types
25 GET ${V1}/admin/analysis_types
26 GET ${V1}/admin/projects
27 POST ${G}/task-rerun/{id}
28 GET ${G}/projects/{id}
29 GET ${G}/projects
30 POST ${G}/projects
31 PUT ${G}/projects
32 POST ${G}/projects/{id}/delete
33 GET ${G}/group-storage
34 GET ${G}/projects/{id}/filelist
35 PUT ${G}/projects/{id}/filelist
36 POST ${G}/projects/{id}/filelist/{fileId}/delete
37 GET ${G}/project-files/{id}/generate-token
38 POST ${G}/project-files/{id}/delete
39 POST ${G}/analysis/launch-task
40 GET ${V1}/panel-form-fields
40 GET ${G}/panel-form-fields
41 GET ${G}/custom-preset/{panel}/{name}
42 GET ${G}/custom-preset/info
43 GET ${G}/custom-preset/{id}
44 GET ${G}/custom-preset/default/{id}
45 GET ${G}/custom-preset/metadata
46 GET ${G}/custom-preset/metadata/{panel}
47 DELETE ${G}/custom-preset/{id}
48 GET ${V1}/admin/pipelines/scan
49 POST ${V1}/admin/pipelines/install
51 POST ${V1}/admin/panel_types/classify
53 GET ${V1}/admin/users
54 POST ${V1}/admin/users
59 POST ${G}/tasks/{id}/abort
67 GET ${V1}/admin/workers
`;

const calls = SPECIFIED.trim()
  .split('\n')
  .map((line) => line.split(' '))
  .map(([row, method, path]) => [method!, path!, row!] as const);

interface Described {
  'x-role'?: string;
  responses: Record<string, { content?: object }>;
}
const paths = buildDocument().paths as unknown as Record<string, Record<string, Described | undefined>>;

test.each(calls)('[API-06] %s %s is in the document with its role and answer (call %s)', (method, path) => {
  const operation = paths[path]?.[method.toLowerCase()];
  expect(operation).toBeDefined();
  expect(operation!['x-role']).toMatch(/^[a-z-]+$/);
  const success = Object.entries(operation!.responses).filter(([status]) => /^2\d\d$/.test(status));
  expect(success).toHaveLength(1);
  const [[status, { content }]] = success as [[string, { content?: object }]];
  expect(content === undefined).toBe(status === '204');
});
