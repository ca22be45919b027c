/** Tests the alerts with Prometheus' own tool: each fires on its series after its time, and not before. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { missingTools } from '../../../scripts/install.mjs';
import { describeOnCluster, describeSkipped } from '../binaries.ts';
import { objectsOf, openHelm } from './helm.ts';
import { MONITORING, rulesFileOf } from './monitoring.ts';

const TITLE = 'the alerts';
const IN = 'namespace="lab"';
const FAILED = `seqpanel_operator_failed_steps_total{${IN},pod="a",stage="secondary",step="align",code="step_failed"}`;

/** `series` has one value per minute. Minutes after which the alert fires, and after which it does not. */
interface Course {
  alert: string;
  what: string;
  series: Record<string, string>;
  fires?: number[];
  not?: number[];
}

const COURSES: Course[] = [
  {
    alert: 'SeqPanelOutboxOld',
    what: 'an intent waits for more than 5 min, until it is carried out',
    series: { [`seqpanel_outbox_oldest_seconds{${IN},pod="a"}`]: '0x2 0+60x10 0x20' },
    not: [2, 6, 30],
    fires: [9, 12],
  },
  {
    alert: 'SeqPanelStatusOld',
    what: 'no api follows the cluster',
    series: {
      [`seqpanel_status_oldest_seconds{${IN},pod="a"}`]: '0+60x40',
      [`seqpanel_status_oldest_seconds{${IN},pod="b"}`]: '0x20 0+60x20',
    },
    not: [19],
    fires: [30],
  },
  {
    alert: 'SeqPanelNoOperator',
    what: 'for 2 min no operator leads, and not while the Lease changes hands',
    series: {
      [`seqpanel_operator_leader{${IN},pod="a"}`]: '1x10 0x30',
      [`seqpanel_operator_leader{${IN},pod="b"}`]: '0x12 1x8 stale',
    },
    not: [11, 13, 20],
    fires: [24, 40],
  },
  {
    alert: 'SeqPanelOperatorBehind',
    what: "a Job's end is told by no status",
    series: { [`seqpanel_operator_oldest_unreported_seconds{${IN},pod="a"}`]: '0x3 0+60x10 0x20' },
    not: [3, 5, 20],
    fires: [9],
  },
  {
    alert: 'SeqPanelStageFails',
    what: 'the first failure of its sort, for an hour',
    series: { [FAILED]: '_x30 1x120' },
    not: [29, 92, 140],
    fires: [31, 80],
  },
  {
    alert: 'SeqPanelStageFails',
    what: 'another failure long after the first, for an hour',
    series: { [FAILED]: '1x200 2x120' },
    not: [150, 263],
    fires: [203, 255],
  },
  {
    alert: 'SeqPanelStageFails',
    what: 'a failure after a restart that began the count anew',
    series: { [FAILED]: '5x200 0x20 1x100' },
    not: [215, 285],
    fires: [223, 275],
  },
  {
    alert: 'SeqPanelStageFails',
    what: 'nothing fails, and Prometheus was away for ten minutes an hour ago',
    series: { [FAILED]: '5x200 _x10 5x120' },
    not: [204, 209, 240, 267, 268, 269, 300],
  },
  {
    alert: 'SeqPanelIngestFails',
    what: 'results cannot be read for a quarter of an hour',
    series: { [`seqpanel_ingest_failures_total{${IN},pod="a"}`]: '0x20 0+1x40 40x60' },
    not: [20, 30, 100],
    fires: [45],
  },
  {
    alert: 'SeqPanelApiNotScraped',
    what: 'every scrape of the api fails, and not while one of two answers',
    series: {
      [`up{${IN},service="seqpanel-api",pod="a"}`]: '1x10 0x30',
      [`up{${IN},service="seqpanel-api",pod="b"}`]: '1x20 0x10 stale',
      [`up{${IN},service="seqpanel-operator",pod="c"}`]: '1x40',
    },
    not: [15, 22],
    fires: [25, 40],
  },
  {
    alert: 'SeqPanelUnavailable',
    what: 'no pod of a Deployment is ready, told once by kube-state-metrics, and not of other installations',
    series: {
      [`kube_deployment_status_replicas_available{${IN},deployment="seqpanel-api"}`]: '2x10 1x10 0x20',
      [`kube_deployment_status_replicas_available{${IN},deployment="seqpanel-operator"}`]: '2x40',
      [`kube_deployment_status_replicas_available{${IN},deployment="other-api"}`]: '0x40',
      'kube_deployment_status_replicas_available{namespace="else",deployment="seqpanel-api"}': '0x40',
    },
    not: [9, 20, 23],
    fires: [25, 40],
  },
  {
    alert: 'SeqPanelDatabaseUnavailable',
    what: 'Postgres is not ready for 2 min',
    series: { [`kube_statefulset_status_replicas_ready{${IN},statefulset="seqpanel-postgres"}`]: '1x10 0x20 1x10' },
    not: [10, 12, 35],
    fires: [14, 30],
  },
  {
    alert: 'SeqPanelRestarts',
    what: 'a container restarts again and again, and not of a step',
    series: {
      [`kube_pod_container_status_restarts_total{${IN},pod="seqpanel-api-x",container="api"}`]: '0x60 0+1x6 6x120',
      [`kube_pod_container_status_restarts_total{${IN},pod="t1-reads-1-0",container="step"}`]: '0+9x40',
    },
    not: [50, 62, 180],
    fires: [70, 100],
  },
  {
    alert: 'SeqPanelRequestErrors',
    what: 'one in ten requests fails for 10 min, and not when nobody asks',
    series: {
      [`seqpanel_api_request_seconds_count{${IN},operation="a",status="200"}`]: '0+90x80 7200x60',
      [`seqpanel_api_request_seconds_count{${IN},operation="a",status="404"}`]: '0+90x80 7200x60',
      [`seqpanel_api_request_seconds_count{${IN},operation="a",status="503"}`]: '0x30 0+20x50 1000x60',
    },
    not: [20, 40, 100, 130],
    fires: [50, 78],
  },
  {
    alert: 'SeqPanelRequestsSlow',
    what: 'one in ten requests takes longer than 2.5 s, files aside',
    series: {
      [`seqpanel_api_request_seconds_bucket{${IN},operation="a",le="2.5"}`]: '0+100x30 3000+90x60',
      [`seqpanel_api_request_seconds_bucket{${IN},operation="a",le="10"}`]: '0+100x30 3000+100x60',
      [`seqpanel_api_request_seconds_bucket{${IN},operation="a",le="+Inf"}`]: '0+100x30 3000+100x60',
      [`seqpanel_api_request_seconds_bucket{${IN},operation="downloadFile",le="2.5"}`]: '0x90',
      [`seqpanel_api_request_seconds_bucket{${IN},operation="downloadFile",le="+Inf"}`]: '0+900x90',
    },
    not: [25, 40],
    fires: [60, 85],
  },
  {
    alert: 'SeqPanelTasksStuck',
    what: 'a task hangs on a lost node for 15 min, and not for a wait in the queue',
    series: {
      [`seqpanel_operator_tasks_stuck{${IN},reason="QueueWait"}`]: '1x60',
      [`seqpanel_operator_tasks_stuck{${IN},reason="PodStuckTerminating"}`]: '_x10 1x30 stale',
    },
    not: [9, 20, 50],
    fires: [28, 40],
  },
  {
    alert: 'SeqPanelQueueWait',
    what: 'a task is Overdue, and not for another reason',
    series: {
      [`seqpanel_operator_tasks_stuck{${IN},reason="Unschedulable"}`]: '1x60',
      [`seqpanel_operator_tasks_stuck{${IN},reason="QueueWait"}`]: '_x10 2x30 stale',
    },
    not: [9, 13, 50],
    fires: [18, 40],
  },
  {
    alert: 'SeqPanelStorageInodes',
    what: 'less than 5 % of the inodes are free, where the file system counts them',
    series: {
      [`kubelet_volume_stats_inodes_free{${IN},persistentvolumeclaim="seqpanel-storage"}`]: '60x20 40x40',
      [`kubelet_volume_stats_inodes{${IN},persistentvolumeclaim="seqpanel-storage"}`]: '1000x50 0x10',
    },
    not: [19, 30, 55],
    fires: [38, 50],
  },
  {
    alert: 'SeqPanelStorageFull',
    what: 'less than a tenth is free for 5 min',
    series: {
      [`seqpanel_storage_free_bytes{${IN},pod="a"}`]: '11x10 9x20 50x20',
      [`seqpanel_storage_size_bytes{${IN},pod="a"}`]: '100x60',
    },
    not: [10, 14, 40],
    fires: [18],
  },
  {
    alert: 'SeqPanelDatabaseFull',
    what: "less than 15 % of Postgres' volume is free, and not of another volume",
    series: {
      [`kubelet_volume_stats_available_bytes{${IN},persistentvolumeclaim="data-seqpanel-postgres-0"}`]: '20x10 14x40',
      [`kubelet_volume_stats_capacity_bytes{${IN},persistentvolumeclaim="data-seqpanel-postgres-0"}`]: '100x60',
      [`kubelet_volume_stats_available_bytes{${IN},persistentvolumeclaim="other"}`]: '1x60',
      [`kubelet_volume_stats_capacity_bytes{${IN},persistentvolumeclaim="other"}`]: '100x60',
    },
    not: [9, 14],
    fires: [18, 40],
  },
];

if (missingTools([['promtool', 'prometheus']]).length > 0) describeSkipped(TITLE, 'promtool is not installed');
else
  describeOnCluster(TITLE, (binaries) => {
    const folder = mkdtempSync(join(tmpdir(), 'seqpanel-alerts-'));
    const promtool = (...args: string[]) => {
      const { status, stdout, stderr } = spawnSync('promtool', args, { cwd: folder, encoding: 'utf8' });
      return { status, said: `${stdout}${stderr}` };
    };
    /** Returns an empty list when the rules behave as expected. */
    const judge = (test: object) => {
      const tests = [{ interval: '1m', ...test }];
      writeFileSync(
        join(folder, 'test.json'),
        JSON.stringify({ rule_files: ['rules.json'], evaluation_interval: '1m', tests }),
      );
      const { status, said } = promtool('test', 'rules', 'test.json');
      return status === 0 ? '' : said;
    };
    const seriesOf = (series: Record<string, string>) =>
      Object.entries(series).map(([name, values]) => ({ series: name, values }));
    let alerts: string[];

    beforeAll(async () => {
      const helm = openHelm(binaries.helm);
      const values = ['--set', `secrets.existingSecret=seqpanel,${MONITORING}`];
      const rules = rulesFileOf(objectsOf(await helm('template', 'seqpanel', '.', '--namespace', 'lab', ...values)));
      writeFileSync(join(folder, 'rules.json'), rules);
      alerts = (JSON.parse(rules) as { groups: { rules: { alert: string }[] }[] }).groups.flatMap(({ rules }) =>
        rules.map(({ alert }) => alert),
      );
    });
    afterAll(() => rmSync(folder, { recursive: true }));

    test('Prometheus accepts the rules, and every rule has a case below', () => {
      const { status, said } = promtool('check', 'rules', 'rules.json');
      expect([status, said]).toEqual([0, expect.stringContaining(`${alerts.length} rules found`)]);
      expect([...new Set(COURSES.map(({ alert }) => alert))].sort()).toEqual([...alerts].sort());
    });

    test.each(COURSES)('$alert: $what', ({ alert, series, fires = [], not = [] }) => {
      const at = (minute: number, firing: boolean) => ({
        expr: `count(ALERTS{alertname="${alert}",alertstate="firing"})`,
        eval_time: `${minute}m`,
        exp_samples: firing ? [{ labels: '{}', value: 1 }] : [],
      });
      const promql_expr_test = [...fires.map((minute) => at(minute, true)), ...not.map((minute) => at(minute, false))];
      expect(judge({ input_series: seriesOf(series), promql_expr_test })).toBe('');
    });

    test('the text of the alert contains the step, its code and the command', () => {
      const exp_annotations = {
        summary:
          'The step align of stage secondary failed for good (step_failed) within the last hour. Its task failed.',
        description: 'kubectl -n lab describe atask shows the step, the reason and the end of the log.',
      };
      const exp_labels = { severity: 'warning', stage: 'secondary', step: 'align', code: 'step_failed' };
      const alert_rule_test = [
        { eval_time: '31m', alertname: 'SeqPanelStageFails', exp_alerts: [{ exp_labels, exp_annotations }] },
      ];
      expect(judge({ input_series: seriesOf({ [FAILED]: '_x30 1x10' }), alert_rule_test })).toBe('');
    });
  });
