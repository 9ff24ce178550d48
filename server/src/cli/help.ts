/** `bellhop help`, and the documentation's page on the command line, both from the commands' own help. */
import type { Command } from './main.ts';

type Commands = Readonly<Record<string, Command>>;

export function overallHelp(commands: Commands): string {
  const width = Math.max(...Object.keys(commands).map((name) => name.length));
  const lines = Object.entries(commands).map(
    ([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`,
  );
  return `Usage: bellhop <command> [options]

${lines.join('\n')}

"bellhop <command> --help" tells more. Exit status: 0 success, 1 failed, 2 called in a wrong way.`;
}

export function commandLineDocument(commands: Commands): string {
  const parts = Object.entries(commands).map(
    ([name, { help }]) => `## ${name}\n\n\`\`\`text\n${help}\n\`\`\`\n`,
  );
  return `# Command line

<!-- Written by "npx bellhop help --markdown" from server/src/cli/; change it there. -->

\`npx bellhop <command>\` from the repository's folder. Results go to stdout, complaints to stderr.
Colours are used on a terminal only, and not where \`NO_COLOR\` is set. With \`--json\` the output is
for programs: \`listen\` and \`trigger\` then print one JSON object a line, as things happen.

| exit status | meaning |
|---|---|
| 0 | It worked; for \`trigger --watch\`, everything was delivered. |
| 1 | It did not work, or a check failed; stderr or the output says why and what to do. |
| 2 | It was called in a way that cannot work, or a setting is wrong. |

${parts.join('\n')}`;
}
