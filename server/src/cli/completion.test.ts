import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test, vi } from 'vitest';

vi.setConfig({ testTimeout: 60_000 });

const BELLHOP = fileURLToPath(new URL('../../bin/bellhop.js', import.meta.url));
const script = (shell: string) =>
  execFileSync(process.execPath, [BELLHOP, 'completion', shell], { encoding: 'utf8' });

function has(shell: string): boolean {
  try {
    execFileSync(shell, ['-c', 'true']);
    return true;
  } catch {
    return false;
  }
}

describe.skipIf(!has('bash'))('in bash', () => {
  /** What is offered for the last of these words. */
  function offered(...words: string[]): string[] {
    const typed = words.map((word) => `'${word}'`).join(' ');
    const ask = `${script('bash')}
COMP_WORDS=(bellhop ${typed}); COMP_CWORD=${words.length}; _bellhop; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return execFileSync('bash', ['-c', ask], { encoding: 'utf8' }).trim().split('\n');
  }

  test('commands, words and options are completed', () => {
    expect(offered('ov')).toEqual(['overview']);
    expect(offered('t')).toEqual(['trigger', 'tokens']);
    expect(offered('tokens', 'c')).toEqual(['create']);
    expect(offered('trigger', '--fa')).toEqual(['--fast-forward']);
    expect(offered('listen', '--')).toEqual(
      expect.arrayContaining(['--sandbox', '--api-key', '--forward', '--json', '--help']),
    );
    expect(offered('fly', '--')).toEqual(['']);
  });
});

test.skipIf(!has('zsh'))('zsh can read its script', () => {
  execFileSync('zsh', ['-n'], { input: script('zsh') });
});

test.skipIf(!has('fish'))('fish can read its script', () => {
  execFileSync('fish', ['--no-execute'], { input: script('fish') });
});

test('every shell is told of every command', () => {
  for (const shell of ['bash', 'zsh', 'fish']) {
    for (const word of ['serve', 'config', 'overview', 'listen', 'trigger', 'tokens']) {
      expect([shell, script(shell)]).toEqual([shell, expect.stringContaining(word)]);
    }
  }
});
