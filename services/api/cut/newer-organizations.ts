import { REFUSED, StartError } from "../../../signer/core/settings/start-fault.ts"
import type { Database } from "../../database/database.ts"
import type { Signer } from "../signer/signer.ts"
import {
  highestRecordVersion,
  organizationsWithIds,
  pageOfOrganizations,
  type StoredVersion,
} from "../store/newer-state.ts"

type State = { version: bigint; sequence: bigint }

/** The ledger's states, by organization. */
export type LedgerStates = {
  byId: ReadonlyMap<string, State>
  /** Sequence of the ledger's newest transaction, over all organizations. Organizations that were created later have higher ones. */
  highestSequence: bigint
  /** Highest version that an operator gave up. */
  givenUpVersion: bigint
}

/** An organization of which the database has a newer state than the ledger. `inLedger` undefined: the ledger has none. */
export type NewerOrganization = {
  id: string
  inDatabase: State
  inLedger: State | undefined
}

export async function readLedgerStates(signer: Pick<Signer, "listOrganizations">): Promise<LedgerStates> {
  const byId = new Map<string, State>()
  let [highestSequence, givenUpVersion] = [0n, 0n]
  for (let after = "", more = true; more; ) {
    const page = await signer.listOrganizations(after)
    ;({ givenUpVersion } = page)
    for (const { organizationId, documentVersion: version, ledgerSequence: sequence } of page.organizations) {
      byId.set(organizationId, { version, sequence })
      if (sequence > highestSequence) highestSequence = sequence
    }
    const last = page.organizations.at(-1)
    more = page.more && last !== undefined
    after = last?.organizationId ?? after
  }
  return { byId, highestSequence, givenUpVersion }
}

/**
 * Organizations whose state in the database the ledger lacks. The parents of organizations that the ledger does not know are
 * among them, because they have the activities that created these.
 */
export async function findNewer(sql: Database, { byId }: LedgerStates): Promise<NewerOrganization[]> {
  const newer = new Map<string, NewerOrganization>()
  const parents = new Set<string>()
  const add = ({ id, version, sequence }: StoredVersion) =>
    newer.set(id, { id, inDatabase: { version, sequence }, inLedger: byId.get(id) })
  for (let after = ""; ; ) {
    const page = await pageOfOrganizations(sql, after)
    for (const stored of page) {
      const known = byId.get(stored.id)
      if (known === undefined || stored.version > known.version || stored.sequence > known.sequence)
        add(stored)
      if (known === undefined && stored.parentId !== null) parents.add(stored.parentId)
    }
    const last = page.at(-1)
    if (last === undefined) break
    after = last.id
  }
  const others = await organizationsWithIds(
    sql,
    [...parents].filter((id) => byId.has(id) && !newer.has(id)),
  )
  others.forEach(add)
  return [...newer.values()]
}

/**
 * Requires that the operator gave up all newer state. Otherwise the signer would issue its version numbers a second time, for
 * another history.
 *
 * @throws {StartError} refused
 */
export async function requireGivenUp(
  sql: Database,
  newer: readonly NewerOrganization[],
  { givenUpVersion }: LedgerStates,
): Promise<void> {
  for (const { id, inDatabase } of newer) {
    const records = await highestRecordVersion(sql, id)
    if (inDatabase.version <= givenUpVersion && records <= givenUpVersion) continue
    throw new StartError(
      REFUSED,
      `the database has newer state than the ledger, such as organization ${id}; restore a newer ledger, or give up what ` +
        "is newer with countersign-signer accept-ledger --restored on the signer's host, and run this again",
    )
  }
}
