import { damaged, guardRead } from "./fault.ts"
import { add, type Authenticator, type DeploymentState, isSame } from "./mac.ts"
import { prefixOfShard } from "./overflow.ts"
import type { Statements } from "./statements.ts"

/** `shelves`: those that overflow books stand on. */
export type ReadDeployment = { state: DeploymentState; overflowPrefixes: Set<string> }

/**
 * Reads the deployment's row and checks that it covers exactly the organizations that stand in the file: one
 * pass over identifiers and MACs, about 7 seconds for a million. What belongs to an organization is checked when
 * it is touched.
 * @throws LEDGER_DAMAGED
 */
export function readDeployment(statements: Statements, authenticator: Authenticator): ReadDeployment {
  const stored = guardRead(() => statements.deployment())
  if (stored === undefined) throw damaged("the ledger has no row of its deployment")
  const { mac, ...scalars } = stored
  const { shelves, ...sums } = guardRead(() => readMembers(statements, authenticator))
  const state = { ...scalars, ...sums }
  if (isSame(authenticator.deploymentMac(state), mac)) return { state, overflowPrefixes: shelves }
  throw damaged("the ledger's organizations are not those that were written")
}

/** In strict order, so that no later search misses one. */
function readMembers(statements: Statements, authenticator: Authenticator) {
  let organizations = 0
  let sum = 0n
  const shelves = new Set<string>()
  let previous: Buffer | undefined
  for (const { id, mac } of statements.organizations()) {
    const name = Buffer.from(id)
    if (previous !== undefined && Buffer.compare(previous, name) >= 0) {
      throw damaged("the ledger's organizations are out of order")
    }
    previous = name
    sum = add(sum, authenticator.organizationElement(id, mac))
    organizations += 1
    const shelf = prefixOfShard(id)
    if (shelf !== undefined) shelves.add(shelf)
  }
  return { organizations, sum, shelves }
}
