/** The command of the partner package, with the client that deliveries use. */
import {
  type CheckReceiverOptions,
  checkReceiverCommand as declared,
  runCheckReceiver,
} from '@bellhop/partner/commands';
import { EVERYWHERE } from '../base/addresses/addresses.ts';
import { commandOf } from './declared-command.ts';

export const checkReceiverCommand = commandOf(declared).action((url, options) =>
  runCheckReceiver(url, options as CheckReceiverOptions, {
    program: 'bellhop',
    // Loaded only now: the client takes time to load, and the list and the help do not need it.
    async loadPost() {
      const { createGuardedPost } = await import('../delivery/receiver-check/guarded-post.ts');
      return createGuardedPost({ allow: EVERYWHERE });
    },
  }),
);
