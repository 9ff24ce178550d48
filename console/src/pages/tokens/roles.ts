import type { Role } from '../../api/types.ts';
import type { Tone } from '../../ui/text/Badge.tsx';

export const roles: readonly [Role, string, Tone][] = [
  ['viewer', 'sees everything, changes nothing', 'calm'],
  ['support', 'changes partners, keys, midoffices and deliveries', 'accent'],
  ['admin', 'also manages tokens, and imports and exports everything, API keys included', 'warn'],
  ['orders', 'a program that posts order events, without the console', 'calm'],
];

export function toneOf(role: Role): Tone {
  return roles.find(([name]) => name === role)?.[2] ?? 'calm';
}
