/** Changes the grants of several endpoints, one after another: each is a change of its own, with its own audit entry. */
import type { EnvironmentCall } from '../../api/client.ts';
import { asProblem, type Problem } from '../../api/problem.ts';
import type { GrantInput } from '../../api/types.ts';

export interface Refused {
  endpoint: string;
  problem: Problem;
}

/** In the given order. A refusal does not keep the others from being changed. Resolves to what was refused. */
export async function saveGrants(
  call: EnvironmentCall,
  keyId: string,
  grants: readonly GrantInput[],
): Promise<Refused[]> {
  const refused: Refused[] = [];
  for (const body of grants) {
    try {
      await call('putGrant', { key_id: keyId, body });
    } catch (error) {
      const problem = asProblem(error);
      // Nobody is signed in any more.
      if (problem.status === 401) throw problem;
      refused.push({ endpoint: body.endpoint, problem });
    }
  }
  return refused;
}
