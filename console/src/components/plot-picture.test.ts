import { type Picture, pictureOf, textOf } from './plot-picture.ts';

const about: Picture = {
  title: 'Nodes: 3 wanted & 1 ready',
  legend: [{ text: 'Wanted', color: '--sp-plot-loss', dash: '6 3' }],
  caption: ['Pool <cpu>', '工作节点池的最近六小时'.repeat(12)],
};

function aPlot(): SVGSVGElement {
  document.body.innerHTML =
    '<svg width="300" height="100" style="--sp-plot-loss: #0072b2"><path class="line" tabindex="0" style="stroke: rgb(1, 2, 3)" d="M0,0"/></svg>';
  return document.querySelector('svg') as SVGSVGElement;
}

test('a picture is self-contained: title, plot, legend, caption and inline styles', () => {
  const plot = aPlot();
  const text = textOf(pictureOf(plot, about));
  expect(text).toContain('Nodes: 3 wanted &amp; 1 ready');
  expect(text).toContain('Pool &lt;cpu&gt;');
  expect(text).toContain('stroke:rgb(1, 2, 3)');
  expect(text).toMatch(/<line [^>]*stroke="#0072b2"[^>]*stroke-dasharray="6 3"/);
  expect(text).not.toMatch(/class=|tabindex|var\(/);
  expect(plot.querySelector('path')?.getAttribute('class')).toBe('line');
});

test('a long text wraps to the width of the picture, in Chinese too', () => {
  const lines = [...pictureOf(aPlot(), about).querySelectorAll(':scope > text')].map((line) => line.textContent ?? '');
  const chinese = lines.filter((line) => line.includes('工'));
  expect(chinese.join('')).toBe(about.caption[1]);
  for (const line of chinese) expect(line.length).toBeLessThanOrEqual(30);
});
