import { createHash } from "node:crypto"
import type { ApprovedText } from "../../../proto/gen/countersign/signer/v1/holder_act_pb.ts"
import { refuse } from "../refusal.ts"
import { type SealedFile, writeSealedSeed } from "../sealed-seed/format.ts"
import { writeNoteKey } from "../log/note-key.ts"
import type { Holders } from "../sealed-seed/holders.ts"
import type { WitnessList } from "../sealed-seed/witnesses.ts"
import { readActText, requireOfHolders, writeActText } from "./act-text.ts"
import type { HolderAct, ActName, ActParameter } from "./acts.ts"
import { requireApprovals } from "./approval.ts"

/**
 * An act over a sealed file. Its text names the file by its digest: once the act has changed the file, the text serves no more, although
 * nobody kept it.
 */
export function fileAct(name: ActName, parameters: readonly ActParameter[], sealed: SealedFile): HolderAct {
  const digest = createHash("sha256").update(writeSealedSeed(sealed)).digest("hex")
  return { name, parameters: [...parameters, ["File", digest]] }
}

/** Parameters of a list of holders' keys. */
export function keyParameters(keys: readonly Uint8Array[]): ActParameter[] {
  return keys.map((key, index) => [`Holder ${index + 1}`, Buffer.from(key).toString("hex")])
}

/** Parameters of a list of witnesses: `2 of 3`, and each key as its program prints it. */
export function witnessParameters({ keys, threshold }: WitnessList): ActParameter[] {
  const names = keys.map((key, index): ActParameter => [`Witness ${index + 1}`, writeNoteKey(key)])
  return [["Threshold", `${threshold} of ${keys.length}`], ...names]
}

/**
 * Requires approvals of an act over a file. The command judges them itself: whoever is root on this host, or can replace the command,
 * is outside the claim.
 *
 * @throws APPROVAL_EXPIRED, APPROVAL_OTHER_ACT, and those of `readActText`, `requireOfHolders` and `requireApprovals`
 */
export function requireFileAct(
  act: HolderAct,
  { text, approvals }: Pick<ApprovedText, "text" | "approvals">,
  { holders, nowMs }: { holders: Holders; nowMs: number },
): void {
  const read = readActText(text)
  requireOfHolders(read, holders)
  const { nonce, expiresAtMs } = read
  if (nowMs >= expiresAtMs)
    throw refuse("APPROVAL_EXPIRED", `this text expired at ${new Date(expiresAtMs).toISOString()}: ${ANEW}`)
  if (writeActText(act, holders, { nonce, expiresAtMs }) !== read.text)
    throw refuse(
      "APPROVAL_OTHER_ACT",
      `the holders approved ${read.act} with the parameters and the file of its text, and this is ${act.name} with others, or the file has changed since: ${ANEW}`,
    )
  requireApprovals(text, approvals, holders)
}

const ANEW = "have a new one made with countersign-signer approve prepare, and approved"
