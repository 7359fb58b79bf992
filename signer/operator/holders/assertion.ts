import type { PasskeyApproval } from "../../../proto/gen/countersign/signer/v1/holder_act_pb.ts"
import { readJsonObject } from "../../../proto/strict-json.ts"
import { readBase64url } from "../../core/encodings.ts"
import { refuse } from "../../core/refusal.ts"

/** An answer as browsers give it (`PublicKeyCredential.toJSON`): base64url members of `response`. */
export type BrowserAnswer = {
  member: (name: string) => Uint8Array
  number: (name: string) => number | undefined
  /** The credential's id, base64url. */
  id: () => string
  /** True for the answer to a creation, false for an assertion. */
  isCreation: boolean
}

/** `what`: the answer's file or place, for the sentence. @throws APPROVAL_MALFORMED */
export function readBrowserAnswer(bytes: Uint8Array, what: string): BrowserAnswer {
  const fault = (why: string) => refuse("APPROVAL_MALFORMED", `${what} is no answer of a passkey: ${why}`)
  const { id, response } = readJsonObject(bytes, (why) => fault(`it ${why}`), { maxDepth: 8 })
  if (typeof response !== "object" || response === null) throw fault("its response is missing")
  const json = response as Readonly<Record<string, unknown>>
  return {
    member: (name) => {
      const value = json[name]
      if (typeof value !== "string") throw fault(`response.${name} is missing`)
      const member = readBase64url(value)
      if (member === undefined) throw fault(`response.${name} is no base64url`)
      return Uint8Array.from(member)
    },
    number: (name) => (typeof json[name] === "number" ? json[name] : undefined),
    id: () => {
      if (typeof id === "string" && isCredentialId(id)) return id
      throw fault("its id is no base64url")
    },
    isCreation: json["attestationObject"] !== undefined,
  }
}

/** True for base64url of at least one byte, as a credential's id is written. */
export const isCredentialId = (text: string): boolean => (readBase64url(text)?.length ?? 0) > 0

/** @throws APPROVAL_MALFORMED */
export function readAssertion(bytes: Uint8Array, what: string): PasskeyApproval {
  const { member } = readBrowserAnswer(bytes, what)
  return {
    $typeName: "countersign.signer.v1.PasskeyApproval",
    authenticatorData: member("authenticatorData"),
    clientDataJson: member("clientDataJSON"),
    signature: member("signature"),
  }
}
