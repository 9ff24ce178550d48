import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const BELLHOP = fileURLToPath(new URL('../../bin/bellhop.js', import.meta.url));
const scripts = new Map<string, string>();

/** Kept, because each one costs the start of a process. */
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
  /** The completions of the last of these words. */
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
    // The help names it, but as an option of another command.
    expect(offered('trigger', '--san')).toEqual(['']);
    expect(offered('fly', '--')).toEqual(['']);
  });

  test('actions and their options are completed', () => {
    expect(offered('tokens', '--')).toEqual(['--help']);
    expect(offered('tokens', 'create', '--na')).toEqual(['--name']);
    expect(offered('tokens', 'list', '--na')).toEqual(['']);
    expect(offered('help', 'over')).toEqual(['overview']);
  });

  test('the methods and paths of the back office are completed', () => {
    expect(offered('api', 'P')).toEqual(['POST', 'PUT', 'PATCH']);
    expect(offered('api', 'GET', 'key')).toEqual(['keys', 'keys/count', 'keys/']);
    expect(offered('api', '--environment', 'sandbox', 'PUT', '')).toContain('keys/');
    expect(offered('api', 'GET', 'keys', '--cs')).toEqual(['--csv']);
  });

  test('values are completed if there is a choice', () => {
    expect(offered('trigger', '--type', '')).toEqual(['created', 'updated', 'cancelled']);
    expect(offered('tokens', 'create', '--name', 'x', '--role', 'v')).toEqual(['viewer']);
    expect(offered('completion', '')).toEqual(expect.arrayContaining(['bash', 'zsh', 'fish']));
    // No options where a value is expected: bash then offers files.
    expect(offered('check-receiver', '--junit', '')).toEqual(['']);
    // A value that happens to be the name of a command does not change the command.
    expect(offered('trigger', '--order', 'tokens', '--fa')).toEqual(['--fast-forward']);
  });
});

test.skipIf(!has('zsh'))('zsh can read its script', () => {
  execFileSync('zsh', ['-n'], { input: script('zsh') });
});

test.skipIf(!has('fish'))('fish can read its script', () => {
  execFileSync('fish', ['--no-execute'], { input: script('fish') });
});

test('every script has every command', () => {
  for (const shell of ['bash', 'zsh', 'fish']) {
    for (const word of ['serve', 'config', 'overview', 'listen', 'trigger', 'tokens']) {
      expect([shell, script(shell)]).toEqual([shell, expect.stringContaining(word)]);
    }
  }
});
