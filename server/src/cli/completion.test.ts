import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test, vi } from 'vitest';

vi.setConfig({ testTimeout: 60_000 });

const BELLHOP = fileURLToPath(new URL('../../bin/bellhop.js', import.meta.url));
const scripts = new Map<string, string>();

/** Asked for once: each costs the start of a process. */
function script(shell: string): string {
  const known = scripts.get(shell);
  if (known !== undefined) return known;
  const args = [BELLHOP, 'completion', shell];
  const text = execFileSync(process.execPath, args, { encoding: 'utf8' });
  scripts.set(shell, text);
  return text;
}

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
    expect(offered('config', '--')).toEqual(['--json', '--markdown', '--help']);
    // Named in its help, but as an option of another command.
    expect(offered('trigger', '--san')).toEqual(['']);
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
