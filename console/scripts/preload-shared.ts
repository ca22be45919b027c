import type { Plugin } from 'vite';

const EARLY =
  /^assets\/(?:(base|rolldown-runtime|shared)-[\w-]+\.(js|css)|RedHat(?:Text|Display)VF-(?!Italic)[\w-]+\.(woff2))$/;

const LINKS: Readonly<Record<string, Record<string, string>>> = {
  js: { rel: 'modulepreload' },
  css: { rel: 'preload', as: 'style' },
  woff2: { rel: 'preload', as: 'font', type: 'font/woff2' },
};

/**
 * Lets index.html ask for the libraries that main.ts imports at once, and, with low priority, for what every page after
 * the login needs, its fonts included.
 */
export function preloadShared(): Plugin {
  return {
    name: 'preload-shared',
    transformIndexHtml: {
      order: 'post',
      handler: (_html, { bundle }) =>
        Object.keys(bundle ?? {}).flatMap((file) => {
          const [, chunk, text, font] = EARLY.exec(file) ?? [];
          const link = LINKS[text ?? font ?? ''];
          // The styles of the base are linked as the page's own.
          if (!link || (chunk === 'base' && text === 'css')) return [];
          const priority = chunk === 'base' || chunk === 'rolldown-runtime' ? {} : { fetchpriority: 'low' };
          const attrs = { ...link, ...priority, crossorigin: true, href: `/${file}` };
          return [{ tag: 'link', attrs, injectTo: 'head' as const }];
        }),
    },
  };
}
