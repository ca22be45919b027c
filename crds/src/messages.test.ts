import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { formatMessage, MESSAGES } from './messages.ts';

const ROOT = join(import.meta.dirname, '..', '..');

describe('the message catalogue', () => {
  test('has codes in snake case and texts that end a sentence or are given by the specification', () => {
    for (const [code, text] of Object.entries(MESSAGES)) {
      expect(code).toMatch(/^[a-z][a-z0-9_]*$/);
      expect(text.trim()).toBe(text);
      expect(text.length).toBeGreaterThan(5);
    }
  });

  test('[ERR-05] contains every code that the api throws', () => {
    const thrown = new Map<string, string>();
    for (const file of sources(join(ROOT, 'api', 'src'))) {
      const text = readFileSync(file, 'utf8');
      for (const [, code] of text.matchAll(/new (?:Invalid|Conflict|NotFound|Forbidden|Unauthorized)\(\s*'([a-z_]+)'/g))
        thrown.set(code!, file);
      for (const [, code] of text.matchAll(/new AppError\(\s*\d+,\s*'([a-z_]+)'/g)) thrown.set(code!, file);
    }
    expect([...thrown].filter(([code]) => !Object.hasOwn(MESSAGES, code))).toEqual([]);
    expect(thrown.size).toBeGreaterThan(40);
  });

  test('fills the placeholders of a text', () => {
    expect(formatMessage('name_too_long', { max: 150 })).toBe('A name may have at most 150 characters.');
    expect(formatMessage('name_too_long')).toBe('A name may have at most  characters.');
  });
});

function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sources(path);
    return path.endsWith('.ts') && !path.endsWith('.test.ts') ? [path] : [];
  });
}
