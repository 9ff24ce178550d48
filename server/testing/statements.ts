/** Records the statements of a database that has it as a plugin. */
import type { KyselyPlugin, RootOperationNode } from 'kysely';

export class Statements implements KyselyPlugin {
  readonly all: RootOperationNode[] = [];

  transformQuery({ node }: { node: RootOperationNode }): RootOperationNode {
    this.all.push(node);
    return node;
  }

  async transformResult<T>({ result }: { result: T }): Promise<T> {
    return result;
  }
}
