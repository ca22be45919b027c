/** All cases of the Job contract. */
import { FAILURE_CASES } from './cases-failure.ts';
import { LIFETIME_CASES } from './cases-lifetime.ts';
import { SUCCESS_CASES } from './cases-success.ts';
import type { JobCase } from './job-case.ts';

export const JOB_CASES: JobCase[] = [...SUCCESS_CASES, ...FAILURE_CASES, ...LIFETIME_CASES];
