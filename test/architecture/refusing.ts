// A program: makes a refusal itself, reads others that a peer made, and provokes one of the tested code twice. The recorder of refusals has to tell
// them apart.
import { RefusalCode } from "../../proto/gen/countersign/signer/v1/refusal_pb.ts"
import { orUnavailable } from "../../services/api/signer/grpc-client.ts"
import { readRefused } from "../../signer/core/fetch-orders/statement.ts"
import { refuse, Refusal } from "../../signer/core/refusal.ts"
import { requireHolderKeys } from "../../signer/core/sealed-seed/holders.ts"
import { REFUSAL_METADATA } from "../../signer/core/wire.ts"

const codes: string[] = []
const note = (error: unknown) => codes.push((error as Refusal).code)

note(refuse("STAMP_INVALID", "a test made it"))
note(new Refusal("BACKUP_BUSY", "a test made it"))
note(readRefused("checkCode", { code: RefusalCode.OTP_CODE_INVALID, sentence: "a peer made it" } as never))
const metadata = { get: (name: string) => (name === REFUSAL_METADATA ? ["SIGNER_BUSY"] : []) }
const failed = Object.assign(new Error("14 UNAVAILABLE"), { metadata, details: "a peer made it" })
await orUnavailable(Promise.reject(failed), "unused").catch(note)
for (const keys of [1, 2])
  try {
    requireHolderKeys(
      Array.from({ length: keys }, () => new Uint8Array(33)),
      3,
    )
  } catch (error) {
    note(error)
  }

const EXPECTED =
  "STAMP_INVALID,BACKUP_BUSY,OTP_CODE_INVALID,SIGNER_BUSY,HOLDERS_IMPOSSIBLE,HOLDERS_IMPOSSIBLE"
if (codes.join() !== EXPECTED) throw new Error(`refused with ${codes.join()}`)
