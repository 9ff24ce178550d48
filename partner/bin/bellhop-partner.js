#!/usr/bin/env node
import { createRequire } from 'node:module';
import { runPartnerCommand } from '../src/commands/main.ts';

const { version } = createRequire(import.meta.url)('../package.json');
await runPartnerCommand(process.argv.slice(2), version);
