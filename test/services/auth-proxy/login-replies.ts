// Answers of a test's core API to logins, and the requests that it got.
import { newKey } from "../../harness/stamper.ts"
import type { StubCore } from "./stub-core.ts"

export const ok = (members: object) => ({ status: 200, text: JSON.stringify(members) })
export const completed = (result: object) => ok({ activity: { status: "ACTIVITY_STATUS_COMPLETED", result } })
export const SUB = "0b5f6e0a-0000-4000-8000-000000000001"
export const OTP_ID = "0b5f6e0a-0000-4000-8000-000000000002"
export const { publicKeyHex } = newKey()

/** A compact JWS with these claims, signed by nobody. */
export const token = (claims: object) =>
  ["{}", JSON.stringify(claims), "x"].map((part) => Buffer.from(part).toString("base64url")).join(".")
export const MAIL_TOKEN = token({
  verification_type: "OTP_TYPE_EMAIL",
  contact: "ann@example.com",
  public_key: publicKeyHex,
})

/** The newest stamped request. */
export function sent({ posted }: StubCore) {
  const { path, body } = posted.at(-1)!
  return { path: path.replace("/public/v1/", ""), ...body } as { [member: string]: unknown }
}
