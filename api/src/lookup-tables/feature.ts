/** Lists data sources, data types and analysis types, which are seeded tables. */

import { pageOf } from '../db/page.ts';
import type { ListedTypeTable } from '../db/tables/configuration.ts';
import type { Deps, Feature } from '../feature.ts';

export function createLookupTables({ db }: Deps): Feature {
  const list = async (kind: ListedTypeTable['kind'], query: { page?: number; page_size?: number }) => {
    const rows = db('listed_type').where({ kind });
    const { count, results } = await pageOf<ListedTypeTable>(rows, query, (page) =>
      page.select('*').orderBy('position'),
    );
    return {
      count,
      results: results.map((row) => ({
        id: row.id,
        display_name: row.display_name,
        value: row.value,
        instance_type: row.instance_type,
        file_extensions: row.file_extensions,
        active: row.active,
        is_default: row.is_default,
      })),
    };
  };
  return {
    name: 'lookup-tables',
    routes: {
      listDataSources: { role: 'staff-or-group-admin', handle: ({ query }) => list('data_source', query) },
      listDataTypes: { role: 'staff-or-group-admin', handle: ({ query }) => list('data_type', query) },
      listAnalysisTypes: { role: 'staff-or-group-admin', handle: ({ query }) => list('analysis_type', query) },
    },
  };
}
