import { p256Point } from "./p256.ts"
import type { KeyObject } from "node:crypto"
import type { HpkeContext } from "./hpke.ts"

/** HPKE `info` of published clients. */
const INFO = Buffer.from("turnkey_hpke")

/**
 * HPKE context of published clients: the associated data are the sender's point, then the recipient's, without lengths.
 * Points of other sizes do not open.
 *
 * @param enc the sender's ephemeral point, 65 bytes
 */
export function clientContext(enc: Uint8Array, recipient: KeyObject): HpkeContext {
  return { info: INFO, aad: Buffer.concat([enc, p256Point(recipient)]) }
}
