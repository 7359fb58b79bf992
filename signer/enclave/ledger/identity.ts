import { randomBytes } from "node:crypto"
import type { DatabaseSync } from "node:sqlite"
import { refuse } from "../../core/refusal.ts"
import { blob, damaged, guardRead } from "./fault.ts"
import { Authenticator, isSame } from "./mac.ts"
import { FORMAT } from "./schema.ts"

/**
 * Gives a new ledger its identity: 32 random bytes, sealed to the root seed by a MAC under the ledger key. Every
 * other MAC covers it, so that rows of two ledgers of one root seed cannot be exchanged.
 */
export function makeIdentity(connection: DatabaseSync, key: Uint8Array): Authenticator {
  const authenticator = new Authenticator(key, randomBytes(32))
  const statement = connection.prepare("INSERT INTO ledger VALUES (1, ?, ?)")
  statement.run(authenticator.identity, authenticator.sealIdentity(FORMAT))
  return authenticator
}

/** @throws LEDGER_FOREIGN when the identity was not sealed under this key, LEDGER_DAMAGED when there is none */
export function readIdentity(connection: DatabaseSync, key: Uint8Array): Authenticator {
  const row = guardRead(() => connection.prepare("SELECT identity, seal FROM ledger WHERE id = 1").get())
  if (row === undefined) throw damaged("the ledger has no identity")
  const authenticator = new Authenticator(key, blob(row["identity"], 32))
  if (isSame(authenticator.sealIdentity(FORMAT), blob(row["seal"], 32))) return authenticator
  throw refuse("LEDGER_FOREIGN", "the ledger belongs to another root seed")
}
