import { refuse } from "../core/refusal.ts"
import type { SealedFile } from "../core/sealed-seed/format.ts"
import { uint64 } from "./ledger/uint64.ts"
import { DEPLOYMENT, deploymentChange, type Ledger } from "./ledger/ledger.ts"

type Sealed = Pick<SealedFile, "header"> | undefined

const ROW = { kind: "seal", key: "" } as const

/**
 * An earlier sealed file brings the holders, witnesses and daily ways of its time back. The ledger knows the highest revision that opened
 * it; a lost ledger knows none, and nobody is locked out. `sealed`: the file that gave the seed; undefined: it lies in a plain one.
 *
 * @throws SEAL_OLDER
 */
export function requireNewestSeal(ledger: Pick<Ledger, "row">, sealed: Sealed): void {
  const [known, revision] = [knownRevision(ledger), revisionOf(sealed)]
  if (revision >= known) return
  if (sealed === undefined) throw refuse("SEAL_OLDER", PLAIN)
  throw refuse(
    "SEAL_OLDER",
    `the sealed seed has revision ${revision}, and the ledger has seen revision ${known}: holders, witnesses and daily ways of this file may have been replaced. ` +
      "Put the newest file back, from its backup. If it is lost, a threshold of shares accepts this one: countersign-signer accept-seal. " +
      "Then lock the signer and unlock it, or start it again",
  )
}

/** Keeps the revision, if it is a higher one. */
export async function rememberSeal(ledger: Ledger, sealed: Sealed): Promise<void> {
  const revision = revisionOf(sealed)
  if (revision <= knownRevision(ledger)) return
  await ledger.commit([deploymentChange(ledger, { put: [{ ...ROW, value: uint64(revision) }] })])
}

/** 0: none, or of a release that did not count. */
const revisionOf = (sealed: Sealed): bigint => sealed?.header.revision ?? 0n

function knownRevision(ledger: Pick<Ledger, "row">): bigint {
  const value = ledger.row(DEPLOYMENT, ROW.kind, ROW.key)
  return value === undefined ? 0n : Buffer.from(value).readBigUInt64BE()
}

const PLAIN =
  "the root seed lies in a plain file, and the ledger has seen a sealed one: without it no holders approve acts. " +
  "Put the sealed file back, from its backup; or seal this one: countersign-signer ceremony. Then start the signer again"
