/** Pages that a mistyped address may mean. */
const PAGES = [
  '/dashboard',
  '/secondary-analysis/launch',
  '/secondary-analysis/tasks',
  '/tools/projects',
  '/user-settings',
  '/login',
];

/** Returns the page whose address differs in only one segment, if there is one. */
export function nearestPath(pathname: string): string | undefined {
  const asked = pathname.split('/').filter(Boolean);
  return PAGES.find((page) => {
    const known = page.split('/').filter(Boolean);
    if (known.length !== asked.length) return false;
    const different = known.filter((segment, index) => segment !== asked[index]);
    return different.length === 1 && known.every((segment, index) => similar(segment, asked[index] ?? ''));
  });
}

/** Reports whether both begin with the same three letters. */
function similar(a: string, b: string): boolean {
  if (a === b) return true;
  const common = [...a].findIndex((letter, index) => letter !== b[index]);
  return (common === -1 ? a.length : common) >= 3;
}
