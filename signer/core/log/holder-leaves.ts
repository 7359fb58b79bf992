import { createHash } from "node:crypto"

// Values of leaves about holders and witnesses. They have no salt: whoever has the text of an act, or a list, finds its leaf.

const ACT_TAG = "countersign/v1/log-holder-act\0"
const HOLDERS_TAG = "countersign/v1/log-holders\0"
const WITNESSES_TAG = "countersign/v1/log-witnesses\0"

/** Value of the leaf of an act that holders approved: SHA-256("countersign/v1/log-holder-act" || 0x00 || text). */
export function holderActValue(text: Uint8Array): Uint8Array {
  return createHash("sha256").update(ACT_TAG).update(text).digest()
}

/** Value of the leaf that follows each start: SHA-256("countersign/v1/log-holders" || 0x00 || digest of the holders). */
export function holdersValue(digest: Uint8Array): Uint8Array {
  return createHash("sha256").update(HOLDERS_TAG).update(digest).digest()
}

/** Value of the leaf after that of the holders: SHA-256("countersign/v1/log-witnesses" || 0x00 || digest of the witnesses). */
export function witnessesValue(digest: Uint8Array): Uint8Array {
  return createHash("sha256").update(WITNESSES_TAG).update(digest).digest()
}
