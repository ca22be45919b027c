import { expect, test } from '@jest/globals';
import { allPages } from './all-pages.ts';

const source = (rows: number) => {
  const asked: { page: number; page_size: number }[] = [];
  const read = async (query: { page: number; page_size: number }) => {
    asked.push(query);
    const start = (query.page - 1) * query.page_size;
    return { count: rows, results: Array.from({ length: rows }, (_, i) => i).slice(start, start + query.page_size) };
  };
  return { asked, read };
};

test.each([
  [0, 1],
  [199, 1],
  [200, 1],
  [201, 2],
  [768, 4],
])('%i rows are read in %i pages of at most 200', async (rows, pages) => {
  const { asked, read } = source(rows);
  const { count, results } = await allPages(read);
  expect(results).toEqual(Array.from({ length: rows }, (_, i) => i));
  expect(count).toBe(rows);
  expect(asked).toEqual(Array.from({ length: pages }, (_, i) => ({ page: i + 1, page_size: 200 })));
});
