import { API_BASE, type IgvSources } from '../../queries/results.ts';

export interface IgvTexts {
  reads: string;
  coverage: string;
  genes: string;
}

/**
 * Configures igv.js for one sample. The reference and every track come from our own api with the session's token,
 * which is read at each request because it may have been refreshed. Nothing is fetched from igv.org.
 */
export function igvConfig(sources: IgvSources, origin: string, texts: IgvTexts, token: () => string, locus?: string) {
  const url = (path: string) => new URL(`${API_BASE}${path}`, origin).href;
  const bam = sources.bam ?? sources.slice_bam;
  const bai = sources.bam ? sources.bai : sources.slice_bai;
  return {
    loadDefaultGenomes: false,
    showSVGButton: true,
    oauthToken: token,
    // Disables its own search, which calls a server of its makers. Loci are typed as chr:start-end.
    search: { url: `${url('/openapi.json')}?q=$FEATURE$` },
    reference: {
      id: sources.genome ?? 'reference',
      name: sources.genome ?? 'reference',
      fastaURL: url(sources.reference!),
      indexURL: url(sources.index!),
      oauthToken: token,
      tracks: [],
    },
    ...(locus ? { locus } : {}),
    tracks: [
      ...(sources.genes
        ? [
            {
              type: 'annotation',
              format: 'gff3',
              name: texts.genes,
              url: url(sources.genes),
              indexed: false,
              displayMode: 'EXPANDED',
              oauthToken: token,
            },
          ]
        : []),
      ...(sources.coverage
        ? [
            {
              type: 'wig',
              format: 'bigwig',
              name: texts.coverage,
              url: url(sources.coverage),
              oauthToken: token,
              autoscale: true,
            },
          ]
        : []),
      {
        type: 'alignment',
        format: 'bam',
        name: `${texts.reads} ${sources.sample}`,
        url: url(bam!),
        indexURL: url(bai!),
        oauthToken: token,
        height: 420,
        colorBy: 'strand',
        showSoftClips: false,
        displayMode: 'SQUISHED',
      },
    ],
  };
}
