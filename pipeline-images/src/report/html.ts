/** Renders S.html, a plain report that opens without a network and prints on paper. Pure. */

import type { SampleReport } from '@seqpanel/crds/outputs/report.ts';

const RESEARCH_USE_ONLY = 'For research use only. Not for use in diagnostic procedures.';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for use in an element or a quoted attribute. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (sign) => ENTITIES[sign]!);

type Cell = string | number | null | undefined;
const shown = (cell: Cell): string =>
  cell === null || cell === undefined || cell === '' || cell === '.' ? '–' : escapeHtml(`${cell}`);
/** Replaces the underscores of SO and ClinVar terms. */
const words = (terms: string | null): string | null =>
  terms === null ? null : terms.replaceAll('&', ', ').replaceAll('/', ', ').replaceAll('_', ' ');
const percent = (share: number | null): string => (share === null ? '–' : `${(share * 100).toFixed(1)} %`);
const rounded = (value: string | undefined): Cell => {
  const number = Number(value);
  return value === undefined || value === '.' || Number.isNaN(number) ? value : Number(number.toPrecision(5));
};

function table(caption: string, head: readonly string[], rows: readonly (readonly Cell[])[], empty: string): string {
  if (rows.length === 0) return `<h2>${caption}</h2>\n<p>${empty}</p>\n`;
  const header = head.map((name) => `<th scope="col">${name}</th>`).join('');
  // Allow breaks inside alleles and coding names, which may be hundreds of bases long, and nowhere else.
  const cell = (value: Cell): string =>
    `<td${/[ACGT]{12}/.test(`${value}`) ? ' class="bases"' : ''}>${shown(value)}</td>`;
  const body = rows.map((row) => `<tr>${row.map(cell).join('')}</tr>`).join('\n');
  return `<h2>${caption}</h2>\n<table>\n<thead><tr>${header}</tr></thead>\n<tbody>\n${body}\n</tbody>\n</table>\n`;
}

const STYLE = `body{font:14px/1.5 system-ui,sans-serif;color:#151515;max-width:72rem;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse;width:100%;margin:.5rem 0 1.5rem;font-variant-numeric:tabular-nums}
th,td{text-align:left;padding:.25rem .5rem;border-bottom:1px solid #d2d2d2;vertical-align:top}
thead th{white-space:nowrap}
.bases{overflow-wrap:anywhere}
.note{border:2px solid #151515;padding:.5rem 1rem;font-weight:600}
.pass,.warn,.fail,.not_assessed{border-left:.5rem solid;padding:.5rem 1rem;background:#f2f2f2}
.pass{border-color:#3d7317}.warn{border-color:#b98412}.fail{border-color:#b1380b}.not_assessed{border-color:#707070}
@media print{body{margin:0}tr{break-inside:avoid}}`;

const VERDICTS = {
  pass: 'QC passed',
  warn: 'QC passed with warnings',
  fail: 'QC failed',
  not_assessed: 'QC not assessed',
};

/** Returns the report as one page, with all data escaped. */
export function reportHtml(report: SampleReport): string {
  const { panel, genome, qc } = report;
  const title = `Report of ${escapeHtml(report.sample)}`;
  const facts: [string, Cell][] = [
    ['Sample', report.sample],
    ['Library', report.library_id],
    ['Type', `${report.qc_type}, ${report.role}`],
    ['Run', report.task],
    ['Panel', `${panel.displayName} (${panel.value}, version ${panel.version})`],
    ['Reference genome', `${genome.displayName} (${genome.value})`],
    ['Parameters file', report.preset],
  ];
  const notes = [
    RESEARCH_USE_ONLY,
    ...(report.synthetic ? ['Synthetic data: genome, panel or reads were made up and describe no person.'] : []),
    ...report.warnings,
  ];
  const calls = report.calls.map((c) => [
    c.gene,
    c.hgvs_c ?? c.hgvs_g,
    c.hgvs_p,
    `${c.chrom}:${c.pos} ${c.ref}>${c.alt}`,
    percent(c.vaf),
    c.depth === null ? null : `${c.alt_fragments} of ${c.depth}`,
    c.zygosity,
    words(c.consequence),
    words(c.clinvar),
    c.transcript,
  ]);
  const names = [
    'Gene',
    'Coding',
    'Protein',
    'Position',
    'Frequency',
    'Fragments',
    'Zygosity',
    'Consequence',
    'ClinVar',
    'Transcript',
  ];
  const qcRows = qc.rows.map((r) => [
    r['metric'],
    rounded(r['value']),
    `${r['operator']} ${r['limit']}`,
    r['source'],
    r['verdict'],
  ]);
  const gaps = report.not_covered.map((g) => [
    g['gene'],
    g['exon'],
    `${g['chrom']}:${g['start']}-${g['end']}`,
    g['min'],
    g['reason']?.replaceAll('_', ' '),
    g['hotspots'],
  ]);
  const hotspots = report.hotspots.map((h) => [
    h['hotspot'],
    `${h['chrom']}:${h['pos']} ${h['ref']}>${h['alt']}`,
    h['state']?.replaceAll('_', ' '),
    rounded(h['vaf']),
    h['depth'],
    h['reason'],
  ]);
  const methods = [...report.methods, ...report.annotation].map(({ name, version }) => [name, version]);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${title}</h1>
${notes.map((note) => `<p class="note">${escapeHtml(note)}</p>`).join('\n')}
<table><tbody>
${facts.map(([name, value]) => `<tr><th scope="row">${name}</th><td>${shown(value)}</td></tr>`).join('\n')}
</tbody></table>
<p class="${qc.verdict}">${VERDICTS[qc.verdict]}</p>
${table('Variants', names, calls, 'No variant passed the filters.')}
${table('Quality control', ['Metric', 'Value', 'Limit', 'Source', 'Verdict'], qcRows, 'No threshold was applied.')}
${table('Hotspots', ['Hotspot', 'Allele', 'State', 'Frequency', 'Depth', 'Reason'], hotspots, 'The panel names none.')}
${table('What was not covered', ['Gene', 'Exon', 'Region', 'Lowest depth', 'Reason', 'Hotspots'], gaps, 'Every base of the region of interest was covered.')}
${table('Methods', ['Program or source', 'Version'], methods, '')}
<p>Positions are 1-based. Counts are fragments: overlapping mates count once. Frequency = fragments with the variant / fragments that tell the base.</p>
</body>
</html>
`;
}
