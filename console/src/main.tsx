import '@patternfly/react-core/dist/styles/base.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { RouterProvider } from 'react-router-dom';
import { translateComponents } from './i18n/component-words.ts';
import { startI18n } from './i18n/i18n.ts';
import { createQueryClient } from './queries/query-client.ts';
import { createRouter } from './routes.tsx';
import { startTheme } from './theme/theme.ts';
import './theme/tokens.css';
import './theme/app.css';

startTheme();
// The page's code and the session load while the texts do.
const texts = startI18n();
const router = createRouter();
translateComponents(await texts);

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <QueryClientProvider client={createQueryClient()}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
