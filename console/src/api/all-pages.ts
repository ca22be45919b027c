/** Page size. The api's limit for most lists. */
export const PAGE_SIZE = 200;

interface Page<Row> {
  count: number;
  results: Row[];
}

/** Reads every page of a list. A row that moves to another page meanwhile may be missing or duplicated. */
export async function allPages<Row>(
  read: (query: { page: number; page_size: number }) => Promise<Page<Row>>,
): Promise<Page<Row>> {
  const results: Row[] = [];
  for (let page = 1; ; page++) {
    const { count, results: rows } = await read({ page, page_size: PAGE_SIZE });
    results.push(...rows);
    if (rows.length < PAGE_SIZE || results.length >= count) return { count: results.length, results };
  }
}
