import { createHash } from "node:crypto"

// Values of leaves about holders. They have no salt: whoever has the text of an act, or the list of holders, finds its leaf.

const ACT_TAG = "countersign/v1/log-holder-act\0"
const HOLDERS_TAG = "countersign/v1/log-holders\0"

/** Value of the leaf of an act that holders approved: SHA-256("countersign/v1/log-holder-act" || 0x00 || text). */
export function holderActValue(text: Uint8Array): Uint8Array {
  return createHash("sha256").update(ACT_TAG).update(text).digest()
}

/** Value of the leaf that follows each start: SHA-256("countersign/v1/log-holders" || 0x00 || digest of the holders). */
export function holdersValue(digest: Uint8Array): Uint8Array {
  return createHash("sha256").update(HOLDERS_TAG).update(digest).digest()
}
