/**
 * Rules for panel files that a schema cannot express, used by the upload, the check Job and the import. Pure, except for
 * reading the schema file once.
 */

import { type Contig, matchContig } from './contigs.ts';
import type { ControlFile } from './control-file.ts';
import { parameterValueProblem } from './field-rules.ts';
import { formatMessage } from './messages.ts';
import type { Amplicon, Interval, PanelFile } from './panel.ts';
import { panelShapeProblems } from './panel-schema.ts';
import { shippedParameter } from './parameters.ts';
import type { Problem } from './problem.ts';
import { MAX_AMPLICON_SPAN } from './roi.ts';

/** Context of the checks. Missing parts are not checked. */
export interface PanelContext {
  /** The genome's contigs, with aliases if known. */
  genomeContigs?: readonly Contig[];
  /** The panel type's value, which the file must repeat. */
  value?: string;
  /** Name of the control file. */
  controlName?: string;
  control?: ControlFile;
}

const inside = (inner: Interval, outer: Interval): boolean => inner.start >= outer.start && inner.end <= outer.end;

function ampliconProblems(amplicon: Amplicon, path: string): Problem[] {
  const { start, end, insert, leftPrimer, rightPrimer } = amplicon;
  const out: Problem[] = [];
  if (start > end) out.push({ path, message: `start ${start} is greater than end ${end}` });
  else if (end - start + 1 > MAX_AMPLICON_SPAN)
    out.push({ path, message: `spans ${end - start + 1} bases; at most ${MAX_AMPLICON_SPAN} are allowed` });
  if (insert.start > insert.end)
    out.push({ path: `${path}.insert`, message: `start ${insert.start} is greater than end ${insert.end}` });
  else if (!inside(insert, amplicon))
    out.push({
      path: `${path}.insert`,
      message: `${insert.start}-${insert.end} lies outside the amplicon ${start}-${end}`,
    });
  for (const [key, primer] of [
    ['leftPrimer', leftPrimer],
    ['rightPrimer', rightPrimer],
  ] as const) {
    if (primer && (primer.start > primer.end || !inside(primer, amplicon)))
      out.push({
        path: `${path}.${key}`,
        message: `${primer.start}-${primer.end} lies outside the amplicon ${start}-${end}`,
      });
    else if (primer && primer.start <= insert.end && primer.end >= insert.start)
      out.push({ path: `${path}.${key}`, message: `${primer.start}-${primer.end} overlaps the insert` });
  }
  return out;
}

/** Returns every position of the panel with its path, to check it against the contigs. */
function places(panel: PanelFile): { path: string; chrom: string; end: number }[] {
  return [
    ...panel.amplicons.map((a, i) => ({ path: `amplicons[${i}] (${a.name})`, chrom: a.chrom, end: a.end })),
    ...(panel.hotspots ?? []).map((h, i) => ({
      path: `hotspots[${i}] (${h.name})`,
      chrom: h.chrom,
      end: h.pos + h.ref.length - 1,
    })),
    ...(panel.notDesigned ?? []).map((n, i) => ({ path: `notDesigned[${i}]`, chrom: n.chrom, end: n.end })),
    ...(panel.identitySnps ?? []).map((s, i) => ({
      path: `identitySnps[${i}] (${s.name})`,
      chrom: s.chrom,
      end: s.pos,
    })),
    ...(panel.paralogs ?? []).flatMap((group, i) =>
      group.loci.map((l, j) => ({ path: `paralogs[${i}].loci[${j}] (${l.name})`, chrom: l.chrom, end: l.end })),
    ),
    ...(panel.bisulfite?.targets ?? []).map((t, i) => ({
      path: `bisulfite.targets[${i}]`,
      chrom: t.chrom,
      end: t.end,
    })),
    ...(panel.bisulfite?.cpgs ?? []).map((c, i) => ({ path: `bisulfite.cpgs[${i}]`, chrom: c.chrom, end: c.pos })),
  ];
}

function contigProblems(panel: PanelFile, genome: readonly Contig[] | undefined): Problem[] {
  const named = new Map(panel.genome.contigs.map((c) => [c.name, c]));
  const out: Problem[] = [];
  for (const { path, chrom, end } of places(panel)) {
    const contig = named.get(chrom);
    if (!contig) out.push({ path, message: `contig ${chrom} is not among genome.contigs` });
    else if (end > contig.length)
      out.push({ path, message: `ends at ${end}, outside the genome: ${chrom} has ${contig.length} bases` });
  }
  if (!genome) return out;
  panel.genome.contigs.forEach((contig, i) => {
    if (matchContig(genome, contig)) return;
    const sameName = genome.find((c) => c.name === contig.name || c.aliases?.includes(contig.name));
    const why = !sameName
      ? `contig ${contig.name} is not in the genome ${panel.genome.value}`
      : sameName.length !== contig.length
        ? `contig ${contig.name} has ${contig.length} bases here and ${sameName.length} in the genome`
        : `contig ${contig.name} has another sequence (md5 ${contig.md5 ?? '?'}) than in the genome (${sameName.md5 ?? '?'})`;
    out.push({ path: `genome.contigs[${i}]`, message: why });
  });
  return out;
}

function duplicates(path: string, names: readonly string[]): Problem[] {
  const first = new Map<string, number>();
  return names.flatMap((name, i) => {
    const before = first.get(name);
    first.set(name, before ?? i);
    return before === undefined
      ? []
      : [{ path: `${path}[${i}]`, message: `the name ${name} occurs twice, first at ${path}[${before}]` }];
  });
}

function referenceProblems(panel: PanelFile): Problem[] {
  const names = new Set(panel.amplicons.map((a) => a.name));
  const genes = new Set(panel.amplicons.map((a) => a.gene));
  const sites = new Set((panel.paralogs ?? []).flatMap((group) => group.sites.map((site) => site.name)));
  const unknown = (path: string, list: readonly string[], known: ReadonlySet<string | undefined>, what: string) =>
    list.flatMap((name, i) => (known.has(name) ? [] : [{ path: `${path}[${i}]`, message: `${name} is not ${what}` }]));
  return [
    ...(panel.paralogs ?? []).flatMap((g, i) => [
      ...unknown(`paralogs[${i}].sharedAmplicons`, g.sharedAmplicons, names, 'an amplicon of the panel'),
      ...g.sites.flatMap((site, j) =>
        site.positions.length === g.loci.length && site.bases.length === g.loci.length
          ? []
          : [
              {
                path: `paralogs[${i}].sites[${j}]`,
                message: `needs a position and a base for each of ${g.loci.length} loci`,
              },
            ],
      ),
    ]),
    ...unknown('cnvGenes', panel.cnvGenes ?? [], genes, 'a gene of the amplicons'),
    ...unknown('sma.controlAmplicons', panel.sma?.controlAmplicons ?? [], names, 'an amplicon of the panel'),
    ...unknown('sma.sites', panel.sma?.sites ?? [], sites, 'a site of the paralog groups'),
    ...(panel.thalassemia ?? []).flatMap((p, i) =>
      unknown(`thalassemia[${i}].ratios`, Object.keys(p.ratios), names, 'an amplicon of the panel'),
    ),
  ];
}

function parameterProblems(panel: PanelFile): Problem[] {
  return panel.parameters.flatMap((p, i) => {
    const path = `parameters[${i}] (${p.key})`;
    const shipped = shippedParameter(p.key);
    if (!shipped) return [{ path, message: 'is not a parameter of the pipeline' }];
    if (shipped.type !== p.type || shipped.step !== p.step)
      return [{ path, message: `must be of type ${shipped.type} and read by the step ${shipped.step}` }];
    const wrong = parameterValueProblem(p, p.default) ?? parameterValueProblem(shipped, p.default);
    return wrong ? [{ path: `${path}.default`, message: formatMessage(wrong.code, wrong.values) }] : [];
  });
}

function controlProblems(panel: PanelFile, context: PanelContext): Problem[] {
  const { control, controlName } = context;
  if (controlName !== undefined && panel.control !== controlName) {
    const named = panel.control === undefined ? 'names no control file' : `names ${panel.control}`;
    return [{ path: 'control', message: `the panel file ${named}, but the control file is ${controlName}` }];
  }
  if (!control) return [];
  const names = new Set(panel.amplicons.map((a) => a.name));
  const contigs = new Map(panel.genome.contigs.map((c) => [c.name, c.length]));
  const rows = (section: 'baseline' | 'amplicons' | 'expected' | 'site_noise') => control.sections[section]?.rows ?? [];
  return [
    ...(['baseline', 'amplicons'] as const).flatMap((section) =>
      rows(section)
        .filter((row) => !names.has(row.values['amplicon'] ?? ''))
        .map((row) => ({
          path: `[${section}] line ${row.line}`,
          message: `${row.values['amplicon']} is not an amplicon of the panel`,
        })),
    ),
    ...(['expected', 'site_noise'] as const).flatMap((section) =>
      rows(section).flatMap((row) => {
        const path = `[${section}] line ${row.line}`;
        const length = contigs.get(row.values['chrom'] ?? '');
        const pos = Number(row.values['pos']);
        if (length === undefined)
          return [{ path, message: `contig ${row.values['chrom']} is not among the panel's contigs` }];
        if (!Number.isInteger(pos) || pos < 1 || pos > length)
          return [{ path, message: `position ${row.values['pos']} is not on ${row.values['chrom']}` }];
        return [];
      }),
    ),
  ];
}

/**
 * Returns all problems of a panel file. A document that violates the schema gets only its schema problems.
 *
 *   validatePanel(JSON.parse(text), { value: 'demo', genomeContigs: genome.contigs })
 */
export function validatePanel(document: unknown, context: PanelContext = {}): Problem[] {
  const shape = panelShapeProblems(document);
  if (shape.length > 0) return shape;
  const panel = document as PanelFile;
  return [
    ...(context.value !== undefined && context.value !== panel.value
      ? [{ path: 'value', message: `is ${panel.value}, but the file belongs to the panel type ${context.value}` }]
      : []),
    ...(panel.amplicons.length === 0 ? [{ path: 'amplicons', message: 'the panel must have ROI data' }] : []),
    ...duplicates(
      'amplicons',
      panel.amplicons.map((a) => a.name),
    ),
    ...duplicates(
      'genome.contigs',
      panel.genome.contigs.map((c) => c.name),
    ),
    ...duplicates(
      'hotspots',
      (panel.hotspots ?? []).map((h) => h.name),
    ),
    ...duplicates(
      'parameters',
      panel.parameters.map((p) => p.key),
    ),
    ...panel.amplicons.flatMap((a, i) => ampliconProblems(a, `amplicons[${i}] (${a.name})`)),
    ...(panel.notDesigned ?? []).flatMap((n, i) =>
      n.start > n.end ? [{ path: `notDesigned[${i}]`, message: `start ${n.start} is greater than end ${n.end}` }] : [],
    ),
    ...contigProblems(panel, context.genomeContigs),
    ...referenceProblems(panel),
    ...parameterProblems(panel),
    ...controlProblems(panel, context),
  ];
}
