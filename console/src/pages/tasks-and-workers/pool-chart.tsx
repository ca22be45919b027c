import { Chart, ChartAxis, ChartGroup, ChartLine, ChartVoronoiContainer } from '@patternfly/react-charts/victory';
import { useTranslation } from 'react-i18next';
import { useWidth } from '../../components/use-width.ts';
import { HISTORY_MS, hasMaximum, hourTicks, nodeTicks, type Step, topOf } from './pool-history.ts';

const HEIGHT = 190;
const MIN_WIDTH = 240;
const MAX_WIDTH = 1400;
const LABEL = { fill: 'var(--sp-plot-ink)', fontSize: 12 };
const AXIS = {
  axis: { stroke: 'var(--sp-plot-grid)' },
  tickLabels: LABEL,
  axisLabel: { ...LABEL, padding: 30 },
};

/**
 * Draws desired (line) and ready (dashes) nodes as steps over 6 hours, with the pool's maximum. `label`: the finding.
 */
export function PoolChart({ steps, max, label }: { steps: Step[]; max: number; label: string }) {
  const { t } = useTranslation();
  const [box, boxWidth] = useWidth();
  // Uses the available width, so that the chart's text keeps its size.
  const width = Math.max(MIN_WIDTH, Math.min(boxWidth, MAX_WIDTH));
  const now = steps.at(-1)?.at ?? new Date();
  const top = topOf(steps, max);
  const isMaxDrawn = hasMaximum(steps, max);
  const series = (key: 'desired' | 'ready') =>
    steps.map((step) => ({ x: step.at, y: step[key], name: t(`system_tasks.pool.${key}_nodes`) }));
  const hour = (tick: Date | number) => new Date(tick).toISOString().slice(11, 16);
  return (
    <div ref={box}>
      <div className="sp-pool-chart">
        <Chart
          ariaTitle={label}
          width={width}
          height={HEIGHT}
          padding={{ top: 10, right: 20, bottom: 45, left: 45 }}
          scale={{ x: 'time', y: 'linear' }}
          domain={{ x: [new Date(now.getTime() - HISTORY_MS), now], y: [0, top * 1.08] }}
          containerComponent={
            <ChartVoronoiContainer
              labels={({ datum }) => `${datum.name}: ${datum.y} (${hour(datum.x)} UTC)`}
              constrainToVisibleArea
              voronoiBlacklist={['max']}
            />
          }
        >
          <ChartAxis
            tickValues={hourTicks(now)}
            tickFormat={hour}
            label={t('system_tasks.pool.time_axis')}
            style={AXIS}
          />
          <ChartAxis
            dependentAxis
            tickValues={nodeTicks(top)}
            label={t('system_tasks.pool.node_axis')}
            style={{ ...AXIS, grid: { stroke: 'var(--sp-plot-grid)' } }}
          />
          <ChartGroup>
            {isMaxDrawn ? (
              <ChartLine
                name="max"
                data={[
                  { x: new Date(now.getTime() - HISTORY_MS), y: max },
                  { x: now, y: max },
                ]}
                style={{ data: { stroke: 'var(--sp-plot-neutral)', strokeDasharray: '2 4', strokeWidth: 1 } }}
              />
            ) : null}
            <ChartLine
              name="desired"
              data={series('desired')}
              interpolation="stepAfter"
              style={{ data: { stroke: 'var(--sp-plot-loss)', strokeWidth: 2 } }}
            />
            <ChartLine
              name="ready"
              data={series('ready')}
              interpolation="stepAfter"
              style={{ data: { stroke: 'var(--sp-plot-gain)', strokeWidth: 2, strokeDasharray: '6 3' } }}
            />
          </ChartGroup>
        </Chart>
      </div>
      <ul className="sp-pool-legend">
        <li data-line="desired">{t('system_tasks.pool.desired_nodes')}</li>
        <li data-line="ready">{t('system_tasks.pool.ready_nodes')}</li>
        {isMaxDrawn && <li data-line="max">{t('system_tasks.pool.max_line', { n: max })}</li>}
      </ul>
    </div>
  );
}
