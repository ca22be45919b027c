import type { Plugin } from 'vite';

const SHARED = /^assets\/(?:shared-[\w-]+\.(js|css)|RedHat(?:Text|Display)VF-(?!Italic)[\w-]+\.(woff2))$/;

const LINKS: Readonly<Record<string, Record<string, string>>> = {
  js: { rel: 'modulepreload' },
  css: { rel: 'preload', as: 'style' },
  woff2: { rel: 'preload', as: 'font', type: 'font/woff2' },
};

/**
 * Makes index.html preload the files and fonts that every page after the login needs. Low priority, because the entry
 * must load first.
 */
export function preloadShared(): Plugin {
  return {
    name: 'preload-shared',
    transformIndexHtml: {
      order: 'post',
      handler: (_html, { bundle }) =>
        Object.keys(bundle ?? {}).flatMap((file) => {
          const [, text, font] = SHARED.exec(file) ?? [];
          const link = LINKS[text ?? font ?? ''];
          if (!link) return [];
          const attrs = { ...link, fetchpriority: 'low', crossorigin: true, href: `/${file}` };
          return [{ tag: 'link', attrs, injectTo: 'head' as const }];
        }),
    },
  };
}
