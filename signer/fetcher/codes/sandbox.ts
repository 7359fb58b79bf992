import { OtpType } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { StartCodeTask } from "../../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import { countedContact } from "../../core/otp/contact.ts"

/** The code of sandbox contacts. Published documents name it: anybody proves such a contact. */
export const SANDBOX_CODE = "000000"

const CONTACTS: ReadonlyMap<OtpType, string> = new Map([
  [OtpType.EMAIL, "user@example.com"],
  [OtpType.SMS, "+19999999999"],
])

type AskedCode = Pick<StartCodeTask, "channel" | "contact" | "length" | "alphanumeric">

/** True if a code is of a sandbox contact and has the form of its code. Other forms are sent like any code. */
export function isSandboxCode({ channel, contact, length, alphanumeric }: AskedCode): boolean {
  const isForm = length === SANDBOX_CODE.length && !alphanumeric
  return isForm && CONTACTS.get(channel) === countedContact(channel, contact)
}
