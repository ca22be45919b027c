import { completedTask } from '../../test-support/completed-task.ts';

const given = completedTask();

test('[TASK-09] [API-04] log files are listed by step and sample, and read whole, by range or from their end', async () => {
  const { body } = await given.task.get('/logs');
  expect(body.results).toMatchObject([
    { name: 'post-filter.log', step: 'post-filter', stage: 'post-filter', sample: null },
    { name: 'reads-S1.log', step: 'reads', stage: 'secondary', sample: 'S1' },
  ]);
  const tail = await given.task.get('/logs/reads-S1.log?tail=2');
  expect([tail.body, tail.headers.get('x-log-offset')]).toEqual(['line 999\nline 1000\n', '8874']);
  expect((await given.task.get('/logs/post-filter.log?tail=5')).body).toBe('one line');
  const part = await given.task.get('/logs/reads-S1.log', { range: 'bytes=0-5' });
  expect([part.status, part.body]).toEqual([206, 'line 1']);
  const { headers } = await given.task.get('/logs/reads-S1.log?download=true');
  expect([headers.get('content-type'), headers.get('content-disposition')]).toEqual([
    'text/plain; charset=utf-8',
    'attachment; filename="reads-S1.log"',
  ]);
  expect((await given.task.get('/logs/none.log')).body.code).toBe('log_not_found');
});

test('[TASK-11] [API-04] result files are listed and downloaded with content type and name, by range too', async () => {
  const { body } = await given.task.get('/output');
  const paths = body.results.map(({ path }: { path: string }) => path);
  expect(paths).toEqual(
    expect.arrayContaining([
      'samples/S1/reads/reads.bam',
      'samples/S1/call/calls.vcf.gz',
      'post-filter/samples/S1/trace.tsv.gz',
    ]),
  );
  expect(paths.some((path: string) => path.startsWith('.work'))).toBe(false);
  const file = (path: string, headers = {}) => given.task.get(`/output/file?path=${encodeURIComponent(path)}`, headers);
  const bam = await file('samples/S1/reads/reads.bam', { range: 'bytes=0-2' });
  expect([bam.status, bam.body, bam.headers.get('content-range')]).toEqual([206, 'BAM', 'bytes 0-2/37']);
  expect(bam.headers.get('content-disposition')).toBe('attachment; filename="reads.bam"');
  const typeOf = async (path: string) => (await file(path)).headers.get('content-type');
  expect(await typeOf('samples/S1/reads/reads.bam')).toBe('application/octet-stream');
  expect(await typeOf('samples/S1/call/calls.vcf.gz')).toBe('application/gzip');
  expect(await typeOf('logs/reads-S1.log')).toBe('text/plain; charset=utf-8');
  expect(bam.headers.get('cache-control')).toBe('no-store');
  const typeAndName = async (path: string) => {
    const { headers } = await file(path);
    return [headers.get('content-type'), headers.get('content-disposition')];
  };
  expect(await typeAndName('samples/S1/reads/reads.bam')).toEqual([
    'application/octet-stream',
    'attachment; filename="reads.bam"',
  ]);
  expect(await typeAndName('samples/S1/call/calls.vcf.gz')).toEqual([
    'application/gzip',
    'attachment; filename="calls.vcf.gz"',
  ]);
  expect(await typeAndName('logs/post-filter.log')).toEqual([
    'text/plain; charset=utf-8',
    'attachment; filename="post-filter.log"',
  ]);
  for (const path of ['../../etc/passwd', 'samples/../../x', '.work/x', 'none'])
    expect((await file(path)).status).toBe(404);
});

test('[IGV-06] [ERR-66] a sample has its BAM and index for IGV; a sample without them reports it', async () => {
  const { lab, id } = given.task;
  const { body } = await given.task.get('/igv?sample=S1');
  expect(body).toMatchObject({
    bam: `/${lab.group}/tasks/${id}/output/file?path=samples%2FS1%2Freads%2Freads.bam`,
    locus: '17:100-300',
    chromosomes: ['17'],
  });
  const empty = await lab.launch(['S1'], { name: 'empty' });
  const missing = await given.api.call('GET', `/api/v1/pivat/${lab.group}/tasks/${empty}/igv?sample=S1`, {
    token: lab.user.token,
  });
  expect([missing.status, missing.body.message]).toEqual([404, 'BAM file not found so IGV cannot be generated.']);
});
