import { describe, expect, test } from '@jest/globals';
import {
  emailProblem,
  fileNameProblem,
  groupNameProblem,
  personNameProblem,
  projectNameProblem,
  usernameProblem,
} from './account-rules.ts';
import { fileTypeOf } from './file-types.ts';

describe('names', () => {
  test.each([
    ['[USER-03] an empty username', '', 'username_required'],
    ['[USER-04] a username of 151 characters', 'a'.repeat(151), 'username_too_long'],
    ['[USER-04] a username of 150 characters', 'a'.repeat(150), undefined],
    ['[USER-05] a username of 2 characters', 'ab', 'username_too_short'],
    ['a username of 3 characters', 'ab1', undefined],
    ['[USER-06] a username with a dot', 'a.b', 'username_characters'],
    ['[USER-06] a username with a space', 'a b', 'username_characters'],
    ['[USER-06] a username with dash and underscore', 'a-b_1', undefined],
  ])('%s', (_title, name, code) => expect(usernameProblem(name)).toBe(code));

  test.each([
    ['Ana', undefined],
    ['Ana-Lu_2+', undefined],
    ['', undefined],
    ['A B', 'user_name_characters'],
    ["O'Neil", 'user_name_characters'],
  ])('the first or last name "%s"', (name, code) => expect(personNameProblem(name)).toBe(code));

  test.each([
    ['a@b.org', undefined],
    ['a.b+c@lab.example.com', undefined],
    ['a@b', 'email_invalid'],
    ['a b@c.org', 'email_invalid'],
    ['@c.org', 'email_invalid'],
    ['a@c.org,d@e.org', 'email_invalid'],
  ])('[USER-07] the address %s', (address, code) => expect(emailProblem(address)).toBe(code));

  test.each([
    ['lab_1-a', undefined],
    ['lab 1', 'group_name_characters'],
    ['', 'name_required'],
  ])('[GROUP-04] the group name "%s"', (name, code) => expect(groupNameProblem(name)).toBe(code));

  test.each([
    ['run_1-a', undefined],
    ['run.1', 'project_name_characters'],
    ['../run', 'project_name_characters'],
  ])('[PROJ-03] the project name "%s"', (name, code) => expect(projectNameProblem(name)).toBe(code));

  test.each([
    ['S1_L001.fastq.gz', undefined],
    ['.hidden', 'file_name_characters'],
    ['..', 'file_name_characters'],
    ['a/b', 'file_name_characters'],
    ['a\0b', 'file_name_characters'],
  ])('[PROJ-08] the file name "%s"', (name, code) => expect(fileNameProblem(name)).toBe(code));
});

test.each([
  ['a.fastq.gz', 'fastq'],
  ['a.fq.gz', 'fastq'],
  ['a.fastq', 'fastq'],
  ['a.FQ', 'fastq'],
  ['a.bam', 'bam'],
  ['a.bam.bai', 'bai'],
  ['a.csv', 'samplesheet'],
  ['a.bai', undefined],
  ['a.gz', undefined],
  ['.fastq', undefined],
])('[UPLOAD-08] [UPLOAD-09] the type of %s', (name, type) => expect(fileTypeOf(name)).toBe(type));
