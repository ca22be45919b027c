import i18next from 'i18next';
import { changeLanguage, startI18n } from '../i18n/i18n.ts';
import { failureText, reasonText } from './reason-text.ts';

const of = (code: string, message: string, where: { step?: string; sample?: string } = {}) => ({
  reason: `the server's line: ${message}`,
  reason_of: { code, step: where.step ?? null, sample: where.sample ?? null, message },
});
const text = (reason: ReturnType<typeof of>) => reasonText(i18next.t, i18next.language, reason);

beforeAll(() => startI18n('en'));
beforeEach(() => changeLanguage('zh'));

describe('the reason of a task', () => {
  test('is the line of the server in English', async () => {
    await changeLanguage('en');
    expect(text(of('step_timeout', 'too long'))).toBe("the server's line: too long");
  });

  test('names step and sample, then what failed, in Chinese', () => {
    const where = { step: 'align', sample: 'S1' };
    expect(text(of('step_timeout', 'the step exceeded its time limit', where))).toBe('align，样本 S1：步骤超时');
    expect(text(of('fastq_broken', 'a_R1.fastq.gz, line 44: no quality', where))).toBe(
      'align，样本 S1：FASTQ 文件无效：a_R1.fastq.gz, line 44: no quality',
    );
  });

  test('keeps the number of a message that has nothing else to say', () => {
    expect(text(of('out_of_memory', 'the step ran out of 4Gi of memory', { step: 'call' }))).toBe(
      'call：内存不足（4Gi）',
    );
    expect(
      failureText(i18next.t, {
        code: 'too_many_attempts',
        message: 'Job t1-call-3 was deleted; no attempts left after 3',
      }),
    ).toBe('尝试次数过多（3）');
  });

  test('is the text of the condition that holds the task up, with the words of the cluster', () => {
    expect(text(of('NoPods', 'Job t1-call-1 has no pods; see its events'))).toBe('该作业没有 Pod，请查看其事件');
    expect(text(of('Unschedulable', '0/3 nodes are available'))).toBe(
      '没有可用节点运行该 Pod：0/3 nodes are available',
    );
  });

  test('is the text of the catalogue for what the api itself refused', () => {
    expect(text(of('dispatch_refused', 'quota exceeded'))).toBe('无法启动任务：quota exceeded');
  });

  test('is the message of an unknown code, and the line where the code is not known', () => {
    expect(text(of('NewInTheNextRelease', 'no room', { step: 'call' }))).toBe('call：no room');
    expect(reasonText(i18next.t, 'zh', { reason: 'old line', reason_of: null })).toBe('old line');
  });
});
