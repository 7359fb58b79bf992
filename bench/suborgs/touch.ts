import type { Caller } from "./caller.ts"
import { organizationIdOf } from "./customers.ts"

const CONNECTIONS = 32
const NOBODY = "0x0000000000000000000000000000000000000000"

/**
 * Makes the signer open the organizations from `from` to `to`: each is asked to sign with an address it does not
 * have. That needs the document, checked against the ledger, and the caller's key in it; it stores nothing.
 */
export async function touch(caller: Caller, from: number, to: number): Promise<void> {
  let next = from
  const lane = async () => {
    while (next < to) {
      const organizationId = organizationIdOf(next++)
      const answer = await caller.submit("sign_raw_payload", "SIGN_RAW_PAYLOAD_V2", organizationId, {
        signWith: NOBODY,
        payload: "00",
        encoding: "PAYLOAD_ENCODING_HEXADECIMAL",
        hashFunction: "HASH_FUNCTION_SHA256",
      })
      if (answer.status !== 404) throw new Error(`not touched: ${answer.text}`)
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, lane))
}
