/**
 * node:http for modules that run in every process. An `import` of it reads all its exports, and one of them,
 * WebSocket, loads Node's own undici: 65 ms of processor time in each thread, and in each command.
 */
export const http = process.getBuiltinModule('node:http');
