import {
  Alert,
  Button,
  Card,
  CardBody,
  CardTitle,
  DescriptionList,
  DescriptionListDescription,
  DescriptionListGroup,
  DescriptionListTerm,
  Grid,
  GridItem,
  Skeleton,
} from '@patternfly/react-core';
import type { TFunction } from 'i18next';
import { lazy, Suspense, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { PlotMenu } from '../../components/plot-menu.tsx';
import type { LegendEntry } from '../../components/plot-picture.ts';
import type { WorkerPool } from '../../queries/admin.ts';
import { HistoryTable } from './history-table.tsx';
import { hasMaximum, type Step, stepsOf } from './pool-history.ts';
import { reasonsOf } from './pool-reasons.ts';

const PoolChart = lazy(async () => ({ default: (await import('./pool-chart.tsx')).PoolChart }));

/** Shows one pool: desired and ready nodes, the reason, and the history of the last 6 hours. `readAt`: ms. */
export function PoolCard({ pool, readAt }: { pool: WorkerPool; readAt: number }) {
  const { t } = useTranslation();
  const [isTable, setTable] = useState(false);
  const plot = useRef<HTMLDivElement>(null);
  const reasons = reasonsOf(pool.conditions);
  const steps = stepsOf(pool.history, new Date(readAt));
  const facts = [
    [t('system_tasks.pool.ready'), `${pool.ready ?? '–'} / ${pool.desired ?? '–'}`],
    [t('system_tasks.pool.limits'), `${pool.min} – ${pool.max}`],
    [t('system_tasks.pool.pods'), `${pool.pending_pods ?? '–'} / ${pool.running_pods ?? '–'}`],
    [t('system_tasks.worker_columns.queue_name'), pool.queue_name],
    ...(pool.instance_type ? [[t('system_tasks.pool.instance_type'), pool.instance_type]] : []),
  ] as [string, string][];
  const most = Math.max(0, ...steps.map(({ desired }) => desired));
  const finding = t('system_tasks.pool.finding', { desired: pool.desired ?? 0, ready: pool.ready ?? 0, most });
  return (
    <Card isCompact className="sp-pool">
      <CardTitle component="h2">
        <span translate="no">{pool.name}</span>
      </CardTitle>
      <CardBody>
        <Grid hasGutter>
          <GridItem lg={5}>
            <DescriptionList isCompact className="sp-facts">
              {facts.map(([term, text]) => (
                <DescriptionListGroup key={term}>
                  <DescriptionListTerm>{term}</DescriptionListTerm>
                  <DescriptionListDescription>
                    <span className="sp-tabular" translate="no">
                      {text}
                    </span>
                  </DescriptionListDescription>
                </DescriptionListGroup>
              ))}
            </DescriptionList>
            <h3 className="sp-pool-why">{t('system_tasks.pool.why')}</h3>
            {reasons.length === 0 && <p>{t('system_tasks.pool.no_reason')}</p>}
            {reasons.map(({ type, isWarning, reason, message }) => (
              <Alert
                key={type}
                isInline
                isPlain
                component="p"
                variant={isWarning ? 'warning' : 'info'}
                title={reason ? t(`system_tasks.reason.${reason}`) : type}
              >
                <span lang="en">{message}</span>
              </Alert>
            ))}
          </GridItem>
          <GridItem lg={7}>
            <div className="sp-pool-finding">
              <h3>{finding}</h3>
              <span className="sp-nowrap">
                <Button variant="link" isInline onClick={() => setTable(!isTable)} aria-expanded={isTable}>
                  {t(isTable ? 'system_tasks.pool.as_chart' : 'system_tasks.pool.as_table')}
                </Button>
                {!isTable && (
                  <PlotMenu
                    plot={plot}
                    of={{
                      name: `nodes-of-${pool.name}`,
                      title: finding,
                      legend: legendOf(pool, steps, t),
                      caption: [
                        t('system_tasks.pool.about', {
                          name: pool.name,
                          queue: pool.queue_name,
                          min: pool.min,
                          max: pool.max,
                        }),
                      ],
                      columns: [
                        t('system_tasks.pool.since'),
                        t('system_tasks.pool.desired_nodes'),
                        t('system_tasks.pool.ready_nodes'),
                      ],
                      rows: pool.history.map(({ at, desired, ready }) => [at, desired, ready]),
                    }}
                  />
                )}
              </span>
            </div>
            {isTable ? (
              <HistoryTable steps={pool.history} />
            ) : (
              <Suspense fallback={<Skeleton height="160px" screenreaderText={t('table.loading')} />}>
                <div ref={plot}>
                  <PoolChart steps={steps} max={pool.max} label={finding} />
                </div>
              </Suspense>
            )}
          </GridItem>
        </Grid>
      </CardBody>
    </Card>
  );
}

const legendOf = (pool: WorkerPool, steps: Step[], t: TFunction): LegendEntry[] => [
  { text: t('system_tasks.pool.desired_nodes'), color: '--sp-plot-loss' },
  { text: t('system_tasks.pool.ready_nodes'), color: '--sp-plot-gain', dash: '6 3' },
  ...(hasMaximum(steps, pool.max)
    ? [{ text: t('system_tasks.pool.max_line', { n: pool.max }), color: '--sp-plot-neutral', dash: '2 4' }]
    : []),
];
