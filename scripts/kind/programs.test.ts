import { choosePrograms } from './programs.ts';

const built = { kubectl: '/cache/kubectl', helm: '/cache/helm', kind: '/cache/kind' };
const only =
  (...programs: string[]) =>
  (program: string) =>
    programs.includes(program);

describe('programs that a kind cluster needs', () => {
  test('a program on PATH comes before a built one', () => {
    expect(choosePrograms(built, only('docker', 'kind', 'helm', '/cache/helm', '/cache/kubectl'))).toEqual({
      docker: 'docker',
      kind: 'kind',
      kubectl: '/cache/kubectl',
      helm: 'helm',
    });
  });

  test('every missing program is listed with how to install it', () => {
    const choose = () => choosePrograms(built, only('kubectl', '/cache/helm'));
    expect(choose).toThrow(/^Missing programs:\n {2}docker: install it from https:.*\n {2}kind: .*build\.sh --kind$/);
  });
});
