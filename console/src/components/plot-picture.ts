/** Exports a plot as a self-contained picture: inline styles, title, legend and caption. */

export interface LegendEntry {
  text: string;
  /** A role of the plot's colours, as --sp-plot-loss. */
  color: string;
  /** As stroke-dasharray. */
  dash?: string;
}

export interface Picture {
  /** The finding, as a sentence. */
  title: string;
  legend: readonly LegendEntry[];
  /** Sources, one per line. */
  caption: readonly string[];
}

const NS = 'http://www.w3.org/2000/svg';
/** Style properties of a mark that come from the page's style sheets. */
const STYLES = [
  'fill',
  'fill-opacity',
  'stroke',
  'stroke-width',
  'stroke-dasharray',
  'stroke-opacity',
  'opacity',
  'font-family',
  'font-size',
  'font-weight',
  'text-anchor',
] as const;
const MARGIN = 16;
const LINE = 18;
/** Mean width of a letter of the title, px. */
const LETTER = 7.5;
const MIN_WIDTH = 480;

export function pictureOf(plot: SVGSVGElement, { title, legend, caption }: Picture): SVGSVGElement {
  const page = getComputedStyle(plot);
  const role = (name: string, fallback: string): string => page.getPropertyValue(name).trim() || fallback;
  const ink = role('--sp-plot-ink', '#151515');
  const { width, height } = sizeOf(plot);
  const all = Math.max(MIN_WIDTH, width + 2 * MARGIN);
  const parts: SVGElement[] = [];
  let y = MARGIN;
  const lines = (text: string, style: Record<string, string | number>): void => {
    for (const line of wrapped(text, (all - 2 * MARGIN) / LETTER)) {
      y += LINE;
      parts.push(element('text', { x: MARGIN, y: y - 4, fill: ink, 'font-size': 12, ...style }, line));
    }
  };

  lines(title, { 'font-size': 14, 'font-weight': 600 });
  y += MARGIN / 2;
  const drawn = standalone(plot);
  for (const [key, value] of Object.entries({ x: MARGIN, y, width, height })) drawn.setAttribute(key, String(value));
  parts.push(drawn);
  y += height;
  for (const { text, color, dash } of legend) {
    y += LINE;
    const line = { x1: MARGIN, x2: MARGIN + 24, y1: y - 8, y2: y - 8, stroke: role(color, ink), 'stroke-width': 2 };
    parts.push(element('line', { ...line, ...(dash ? { 'stroke-dasharray': dash } : {}) }));
    parts.push(element('text', { x: MARGIN + 32, y: y - 4, fill: ink, 'font-size': 12 }, text));
  }
  y += MARGIN / 2;
  for (const line of caption) lines(line, { fill: role('--sp-plot-neutral', ink) });
  y += MARGIN;

  const family = page.fontFamily ? `${page.fontFamily}, sans-serif` : 'sans-serif';
  const size = { width: all, height: y };
  const picture = element('svg', { xmlns: NS, ...size, viewBox: `0 0 ${all} ${y}`, 'font-family': family });
  picture.append(element('rect', { ...size, fill: role('--sp-plot-paper', '#ffffff') }), ...parts);
  return picture as SVGSVGElement;
}

/** Returns a PNG of a picture, `scale` times its size. */
export async function pngOf(picture: SVGSVGElement, scale: number): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(textOf(picture))}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = Number(picture.getAttribute('width')) * scale;
  canvas.height = Number(picture.getAttribute('height')) * scale;
  const context = canvas.getContext('2d');
  if (!context) throw new Error('this browser draws no canvas');
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return await new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('the picture is too large to be drawn'))));
  });
}

export const textOf = (picture: SVGSVGElement): string => new XMLSerializer().serializeToString(picture);

/** Returns a copy with inline styles. */
function standalone(plot: SVGSVGElement): SVGSVGElement {
  const copy = plot.cloneNode(true) as SVGSVGElement;
  const marks = [plot, ...plot.querySelectorAll('*')];
  for (const [index, own] of [copy, ...copy.querySelectorAll('*')].entries()) {
    const mark = marks[index];
    if (!mark) continue;
    const style = getComputedStyle(mark);
    const written = STYLES.map((name) => [name, style.getPropertyValue(name)]).filter(([, value]) => value !== '');
    own.setAttribute('style', written.map((pair) => pair.join(':')).join(';'));
    own.removeAttribute('class');
    own.removeAttribute('tabindex');
  }
  return copy;
}

/** Returns the drawn size in px, or without a layout the size of its attributes. */
function sizeOf(plot: SVGSVGElement): { width: number; height: number } {
  const { width, height } = plot.getBoundingClientRect();
  if (width > 0 && height > 0) return { width, height };
  return { width: Number(plot.getAttribute('width')), height: Number(plot.getAttribute('height')) };
}

function element(name: string, attributes: Record<string, string | number>, text?: string): SVGElement {
  const made = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) if (key !== 'xmlns') made.setAttribute(key, String(value));
  if (text !== undefined) made.textContent = text;
  return made;
}

/** Splits a text into lines of at most `most` letters; a Chinese character counts twice and may end a line. */
function wrapped(text: string, letters: number): string[] {
  const lines: string[] = [];
  let line = '';
  let used = 0;
  for (const part of text.match(/\p{Script=Han}|[^\s\p{Script=Han}]+\s*|\s+/gu) ?? []) {
    const isHan = /^\p{Script=Han}/u.test(part);
    const wide = isHan ? 2 : part.length;
    if (line !== '' && used + (isHan ? 2 : part.trimEnd().length) > letters) {
      lines.push(line);
      line = '';
      used = 0;
    }
    line += part;
    used += wide;
  }
  return [...lines, line];
}
