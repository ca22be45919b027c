import { parseCommand } from './arguments.ts';

const parse = (args: string[], env = {}) => parseCommand(args, env, '/home/me');

describe('command line of npm run kind', () => {
  test('up accepts a node image and a configuration, whose path is relative to the shell', () => {
    expect(parse(['up', '--image', 'kindest/node:v1.34.0', '--config', 'one-node.yaml'])).toEqual({
      action: 'up',
      image: 'kindest/node:v1.34.0',
      config: '/home/me/one-node.yaml',
    });
    expect(parse(['up'])).toEqual({ action: 'up', image: undefined, config: undefined });
  });

  test('SEQPANEL_KIND_IMAGE sets the node image when no option does', () => {
    const env = { SEQPANEL_KIND_IMAGE: 'from-environment:1' };
    expect(parse(['up'], env).image).toBe('from-environment:1');
    expect(parse(['up', '--image', 'given:1'], env).image).toBe('given:1');
    expect(parse(['up'], { SEQPANEL_KIND_IMAGE: '' }).image).toBeUndefined();
  });

  test.each([
    [[], /^Usage: /],
    [['start'], /^Usage: /],
    [['up', 'now'], /^Unknown argument: now\.\nUsage: /],
    [['up', '--imgae', 'x'], /--imgae(.|\n)*Usage: /],
    [['up', '--image'], /--image(.|\n)*Usage: /],
    [['down', '--image', 'x'], /^Only up accepts --image and --config\.\nUsage: /],
  ])('%j is refused with what is wrong and the usage', (args, message) => {
    expect(() => parse(args as string[])).toThrow(message);
  });
});
