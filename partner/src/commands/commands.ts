/** `@bellhop/partner/commands`: the commands of this package for the server, which has them too; as command-line.ts. */
export {
  type CheckReceiverOptions,
  checkReceiverCommand,
  runCheckReceiver,
} from './check-receiver.ts';
export { type ListenOptions, listenCommand, type Registered, runListen } from './listen.ts';
