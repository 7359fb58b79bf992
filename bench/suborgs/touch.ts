import type { StampingClient } from "./caller.ts"
import { organizationIdOf } from "./customers.ts"

const CONNECTIONS = 32
const MAX_ATTEMPTS = 20
const NOBODY = "0x0000000000000000000000000000000000000000"

/**
 * Makes the signer open the organizations from `from` to `to`: each is asked to sign with an address it does not
 * have. That needs the document, checked against the ledger, and the caller's key in it; it stores nothing.
 */
export async function touch(caller: StampingClient, from: number, to: number): Promise<void> {
  let next = from
  const lane = async () => {
    while (next < to) {
      const organizationId = organizationIdOf(next++)
      await touchOne(caller, organizationId)
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, lane))
}

/** A service that is late is asked again, as its reply says. */
async function touchOne(caller: StampingClient, organizationId: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const { status, text } = await caller.submit("sign_raw_payload", "SIGN_RAW_PAYLOAD_V2", organizationId, {
      signWith: NOBODY,
      payload: "00",
      encoding: "PAYLOAD_ENCODING_HEXADECIMAL",
      hashFunction: "HASH_FUNCTION_SHA256",
    })
    if (status === 404) return
    if (status !== 503 || attempt === MAX_ATTEMPTS) throw new Error(`not touched: ${text}`)
  }
}
