import { byName, type ClientRules } from '../../hooks/client-rows.ts';
import type { TableDefinition } from '../../hooks/table-url.ts';
import type { Project } from '../../queries/projects.ts';

export const PROJECTS_TABLE: TableDefinition = {
  id: 'projects',
  sortable: ['name', 'created', 'fastqs', 'files', 'size', 'owner'],
  defaultSort: { key: 'created', dir: 'desc' },
};

/** Searches and sorts in the browser, because the api sends the whole list. */
export const PROJECT_RULES: ClientRules<Project> = {
  text: ({ name, owner }) => [name, owner],
  compare: {
    name: (a, b) => byName(a.name, b.name),
    created: (a, b) => a.created.localeCompare(b.created),
    fastqs: (a, b) => a.fastqs - b.fastqs,
    files: (a, b) => a.files - b.files,
    size: (a, b) => a.size - b.size,
    owner: (a, b) => byName(a.owner, b.owner),
  },
};
