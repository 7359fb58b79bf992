import { refuse } from "../core/refusal.ts"
import type { SealedFile } from "../core/sealed-seed/format.ts"
import { type WitnessList, witnessesDigest } from "../core/sealed-seed/witnesses.ts"

type Header = Pick<SealedFile["header"], "production" | "witnessesDigest">

/**
 * Whoever can change the signer's settings cannot replace the witnesses of a deployment in production.
 *
 * @throws WITNESSES_CHANGED when the sealed seed names others than the settings
 */
export function requireApprovedWitnesses(header: Header, witnesses: WitnessList): void {
  if (!header.production || !namesWitnesses(header)) return
  if (Buffer.from(header.witnessesDigest).equals(witnessesDigest(witnesses))) return
  const { keys, threshold } = witnesses
  const names = keys.length === 0 ? "no witnesses" : keys.map(({ name }) => name).join(", ")
  throw refuse(
    "WITNESSES_CHANGED",
    `the settings name ${names} with a threshold of ${threshold}, and the sealed seed names other witnesses of the log or another threshold. ` +
      "Put the earlier COUNTERSIGN_SIGNER_WITNESSES and COUNTERSIGN_SIGNER_WITNESS_THRESHOLD back; or have holders approve these " +
      "(countersign-signer approve prepare change-witnesses, then change-witnesses). Then start the signer again",
  )
}

/** True if only holders change the witnesses. */
export function namesWitnesses({ witnessesDigest: digest }: Header): boolean {
  return digest.length > 0
}
