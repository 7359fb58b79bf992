import { commandText, shownId } from "../../../signer/core/command-text.ts"
import { sendIdOf } from "../../dashboard/words/send-state.ts"
import type { ActivityJson } from "../api-client.ts"
import { resultOf } from "../changes/change.ts"
import type { ActivityDetails } from "../changes/waiting.ts"

/** The outcome of an activity for people: a signature or signed transaction as clients use it, else the result's texts. */
export function linesOfOutcome(activity: ActivityJson): string[] {
  const result = resultOf(activity)
  if (sendIdOf(activity) !== undefined)
    return [
      `signed      activity ${activity.id}`,
      commandText`its transaction is on its way to the chain; its state: npx countersign activity show ${shownId(activity.id, "ID")}`,
    ]
  const { r, s, v, signedTransaction } = result
  if (typeof signedTransaction === "string") return [`completed   ${signedTransaction}`]
  if (typeof r === "string" && typeof s === "string" && typeof v === "string") {
    const isEthereum = /KECCAK256|EIP712/.test(JSON.stringify(parametersOf(activity)))
    return [`completed   signature ${signatureOf({ r, s, v }, isEthereum)}`]
  }
  const texts = Object.entries(result).map(
    ([name, value]) => `${name} ${typeof value === "string" ? value : JSON.stringify(value)}`,
  )
  return [`completed   ${texts.join("  ")}`.trimEnd()]
}

export type RawSignature = { r: string; s: string; v: string }

/** A signature as its users take it. Ethereum: 65 bytes with 0x, v is 27 or 28. Others: r and s in hexadecimal digits. */
export function signatureOf({ r, s, v }: RawSignature, isEthereum: boolean): string {
  if (!isEthereum) return `${r}${s}`
  return `0x${r}${s}${(Number.parseInt(v, 16) + 27).toString(16)}`
}

function parametersOf(activity: ActivityJson): unknown {
  return Object.values((activity as ActivityDetails & { intent?: object }).intent ?? {})[0]
}
