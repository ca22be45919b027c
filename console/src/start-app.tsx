import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { RouterProvider } from 'react-router-dom';
import { translateComponents } from './i18n/component-words.ts';
import { startI18n } from './i18n/i18n.ts';
import { loadAhead } from './load-ahead.ts';
import { createQueryClient } from './queries/query-client.ts';
import { createRouter } from './routes.tsx';

/** Shows the console, once the texts of its language are loaded. */
export async function startApp(): Promise<void> {
  const texts = startI18n();
  const queries = createQueryClient();
  const router = createRouter();
  void loadAhead(queries, window.location);
  translateComponents(await texts);
  createRoot(document.getElementById('root') as HTMLElement).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  );
}
