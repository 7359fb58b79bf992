import { Deadline, MAX_REQUEST_MS } from "../../../../signer/core/turns/deadline.ts"
import type { OrderParts } from "../../../../services/api/signer/signer.ts"

/** An order without context, for tests that need any order. */
export const order: OrderParts = {
  body: Buffer.from("{}"),
  xStamp: "",
  xStampWebauthn: "",
  xStampAttested: "",
  documents: [],
  records: [],
  fetched: [],
  turnOf: "",
  policyList: new Uint8Array(0),
  requestId: "",
  deadline: new Deadline(MAX_REQUEST_MS, () => 0),
}
