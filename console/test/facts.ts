import { screen } from '@testing-library/react';

/** Returns the visible description lists of the page: value by term. */
export const factsOnPage = (): Record<string, string> =>
  Object.fromEntries(
    screen.getAllByRole('term').map((term) => [term.textContent ?? '', term.nextElementSibling?.textContent ?? '']),
  );
