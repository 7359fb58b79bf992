import { randomBytes } from "node:crypto"
import type { DatabaseSync } from "node:sqlite"
import { refuse } from "../../core/refusal.ts"
import { blob, damaged, guardRead } from "./fault.ts"
import { add, LedgerMac, type DeploymentState, isSame } from "./mac.ts"
import { prefixOfShard } from "./overflow.ts"
import { FORMAT } from "./schema.ts"
import type { Statements } from "./statements.ts"

/** Stores 32 random bytes, which all other MACs cover: rows of two ledgers with one root seed cannot be exchanged. */
export function createIdentity(connection: DatabaseSync, key: Uint8Array): LedgerMac {
  const authenticator = new LedgerMac(key, randomBytes(32))
  const statement = connection.prepare("INSERT INTO ledger VALUES (1, ?, ?)")
  statement.run(authenticator.identity, authenticator.sealIdentity(FORMAT))
  return authenticator
}

const FOREIGN =
  "the ledger belongs to another root seed: wrong host, backup or seed? Nothing was changed; restore the root seed of this " +
  "ledger, or the ledger of this root seed"

/** @throws LEDGER_FOREIGN when the identity's MAC is of another key, LEDGER_DAMAGED when there is no identity */
export function readIdentity(connection: DatabaseSync, key: Uint8Array): LedgerMac {
  const row = guardRead(() => connection.prepare("SELECT identity, seal FROM ledger WHERE id = 1").get())
  if (row === undefined) throw damaged("the ledger has no identity")
  const authenticator = new LedgerMac(key, blob(row["identity"], 32))
  if (isSame(authenticator.sealIdentity(FORMAT), blob(row["seal"], 32))) return authenticator
  throw refuse("LEDGER_FOREIGN", FOREIGN)
}

/** `overflowPrefixes`: name prefixes under which overflow shards exist. */
export type ReadDeployment = { state: DeploymentState; overflowPrefixes: Set<string> }

/**
 * Reads the deployment's row and checks that it covers exactly the shards in the file, by one pass over their names and
 * MACs: 7 seconds for a million. The rows of a shard are verified when first read. @throws LEDGER_DAMAGED
 */
export function readDeployment(statements: Statements, authenticator: LedgerMac): ReadDeployment {
  const stored = guardRead(() => statements.deployment())
  if (stored === undefined) throw damaged("the ledger has no deployment row")
  const { mac, ...scalars } = stored
  const { overflowPrefixes, ...sums } = guardRead(() => readMembers(statements, authenticator))
  const state = { ...scalars, ...sums }
  if (isSame(authenticator.deploymentMac(state), mac)) return { state, overflowPrefixes }
  throw damaged("the ledger's organizations are not those that were written")
}

/** Requires strict order: a search in an unordered index could miss a shard. */
function readMembers(statements: Statements, authenticator: LedgerMac) {
  let organizations = 0
  let sum = 0n
  const overflowPrefixes = new Set<string>()
  let previous: Buffer | undefined
  for (const { id, mac } of statements.organizations()) {
    const name = Buffer.from(id)
    if (previous !== undefined && Buffer.compare(previous, name) >= 0)
      throw damaged("the ledger's organizations are out of order")
    previous = name
    sum = add(sum, authenticator.organizationElement(id, mac))
    organizations += 1
    const prefix = prefixOfShard(id)
    if (prefix !== undefined) overflowPrefixes.add(prefix)
  }
  return { organizations, sum, overflowPrefixes }
}
