import { Table, Tbody, Td, Th, Thead, Tr } from '@patternfly/react-table';
import { useTranslation } from 'react-i18next';
import { Timestamp } from '../../components/timestamp.tsx';
import type { WorkerPool } from '../../queries/admin.ts';

/** Shows the numbers of the chart as a table, newest first. */
export function HistoryTable({ steps }: { steps: WorkerPool['history'] }) {
  const { t } = useTranslation();
  return (
    <div className="sp-pool-history">
      <Table aria-label={t('system_tasks.pool.history')} variant="compact" isStickyHeader>
        <Thead>
          <Tr>
            <Th>{t('system_tasks.pool.since')}</Th>
            <Th className="sp-number">{t('system_tasks.pool.desired_nodes')}</Th>
            <Th className="sp-number">{t('system_tasks.pool.ready_nodes')}</Th>
          </Tr>
        </Thead>
        <Tbody>
          {steps.toReversed().map((step) => (
            <Tr key={step.at}>
              <Td>
                <Timestamp value={step.at} />
              </Td>
              <Td className="sp-number">{step.desired}</Td>
              <Td className="sp-number">{step.ready}</Td>
            </Tr>
          ))}
        </Tbody>
      </Table>
    </div>
  );
}
