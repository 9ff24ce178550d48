import type { Role } from '../../api/types.ts';
import type { Tone } from '../../ui/text/Badge.tsx';

export const roles = {
  viewer: { meaning: 'sees everything, changes nothing', tone: 'calm' },
  support: { meaning: 'changes partners, keys, midoffices and deliveries', tone: 'accent' },
  admin: {
    meaning: 'also manages tokens, and imports and exports everything, API keys included',
    tone: 'warn',
  },
  orders: { meaning: 'a program that posts order events, without the console', tone: 'calm' },
} satisfies Record<Role, { meaning: string; tone: Tone }>;
