import { columnsOf, planWorkers, type WorkerRow } from './plan-workers.ts';

const worker = (node: string, more: object = {}) => ({
  node,
  instanceId: `i-${node}`,
  cloudStatus: 'Running',
  ...more,
});
const row = (node: string, more: object = {}): WorkerRow => ({ id: `row-${node}`, ...columnsOf(worker(node, more)) });

describe('the rows of a pool and its status', () => {
  test('new workers are inserted, changed ones updated, missing ones marked gone, others unchanged', () => {
    const plan = planWorkers(
      [row('same', { idleSince: '2026-01-01T00:00:00Z' }), row('busy'), row('lost')],
      [worker('same', { idleSince: '2026-01-01T00:00:00Z' }), worker('busy', { task: 't1' }), worker('new')],
    );
    expect(plan.insert.map(({ node }) => node)).toEqual(['new']);
    expect(plan.update).toEqual([{ id: 'row-busy', columns: columnsOf(worker('busy', { task: 't1' })) }]);
    expect(plan.gone).toEqual(['row-lost']);
  });

  test('another machine with a known name is a new worker', () => {
    const plan = planWorkers([row('n1')], [worker('n1', { instanceId: 'i-other' })]);
    expect(plan).toMatchObject({ gone: ['row-n1'], insert: [{ node: 'n1', instance_id: 'i-other' }], update: [] });
  });

  test('a machine that joins is renamed to its node and stays the same worker', () => {
    const plan = planWorkers([{ ...row('machine-7'), instance_id: 'i-7' }], [worker('node-7', { instanceId: 'i-7' })]);
    expect(plan).toMatchObject({
      gone: [],
      insert: [],
      update: [{ id: 'row-machine-7', columns: { node: 'node-7' } }],
    });
  });

  test('a machine that becomes known is the same worker', () => {
    const plan = planWorkers([{ ...row('n1'), instance_id: null }], [worker('n1')]);
    expect(plan).toMatchObject({ gone: [], insert: [], update: [{ id: 'row-n1' }] });
  });
});
