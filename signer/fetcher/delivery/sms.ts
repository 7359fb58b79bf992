import { readFileSync } from "node:fs"
import { sendRequest } from "../http-request.ts"
import type { Network } from "../network.ts"
import { type Channel, DELIVERY_MS, type SmsMessage } from "./delivery.ts"
import type { SmsProvider } from "./settings.ts"

const JSON_TYPE = "application/json"
const FORM_TYPE = "application/x-www-form-urlencoded"

/**
 * Sends text messages by one HTTP request each. Twilio: `To`, `From` and `Body` as a form, with account and token as
 * HTTP Basic (RFC 7617). Else a JSON object `{to, from, text}`, with the token as Bearer (RFC 6750).
 */
export function smsChannel(
  { kind, url, account, tokenFile, from }: SmsProvider,
  network: Network,
): Channel<SmsMessage> {
  const token = readFileSync(tokenFile, "utf8").trim()
  const authorization =
    kind === "twilio" ? `Basic ${Buffer.from(`${account}:${token}`).toString("base64")}` : `Bearer ${token}`
  const contentType = kind === "twilio" ? FORM_TYPE : JSON_TYPE
  const bodyOf = ({ to, text }: SmsMessage) =>
    kind === "twilio" ? twilioForm({ to, from, text }) : JSON.stringify({ to, from, text })
  return {
    async send(message) {
      const body = bodyOf(message)
      // The operator named the host, which may be in their own network.
      const outgoing = { url, isLocal: true, body, contentType, authorization, deadlineMs: DELIVERY_MS }
      await sendRequest(outgoing, network, async ({ status }) => {
        if (status < 200 || status > 299) throw new Error(`status ${status}`)
      })
    },
  }
}

/** A sender that begins with MG is a messaging service of Twilio, any other a number or name. */
function twilioForm({ to, from, text }: { to: string; from: string; text: string }): string {
  const sender = from.startsWith("MG") ? { MessagingServiceSid: from } : { From: from }
  return new URLSearchParams({ To: to, ...sender, Body: text }).toString()
}
