// Words of transactions that the service fills, signs and broadcasts, and of their sponsorship.
import { cancellation, ethereumSend, rawSend, replacement } from "../contents/ethereum-send.ts"
import { solanaSend } from "../contents/solana.ts"
import { accountText } from "../contents/arguments.ts"
import type { FamilyWriters } from "../writer.ts"
import type { Content } from "../words.ts"

export const sends = {
  ethSendTransactionIntent(told, context) {
    told.note("from", "caip2", "to", "value")
    return sending(ethereumSend(told.raw, context), `from ${accountText(told.raw.from, context.nameOf)}`)
  },
  ethSendTransactionIntentV2(told, context) {
    told.note("from", "caip2")
    return sending(ethereumSend(told.raw, context), `from ${accountText(told.raw.from, context.nameOf)}`)
  },
  ethUndelegate7702Intent(told, context) {
    told.note("from", "caip2")
    return sending(ethereumSend(told.raw, context), "")
  },
  ethSendRawTransactionIntent(told, context) {
    const content = rawSend(told.raw, context)
    told.note("caip2")
    return {
      sentence: `Broadcast a transaction that was signed elsewhere: ${content.summary}`,
      contents: [content],
    }
  },
  ethReplaceTransactionIntent(told, context) {
    told.note("from", "caip2")
    return inPlace(replacement(told.raw, context), accountText(told.raw.from, context.nameOf))
  },
  ethCancelTransactionIntent(told, context) {
    told.note("from", "caip2")
    return inPlace(cancellation(told.raw, context), accountText(told.raw.from, context.nameOf))
  },
  solSendTransactionIntent(told, context) {
    const content = solanaSend(told.raw, context)
    told.note("caip2")
    return sending(content, `signed with ${told.say("signWith")}`)
  },
  solSendTransactionIntentV2(told, context) {
    const content = solanaSend(told.raw, context)
    told.note("caip2")
    return sending(content, `signed with ${told.say("signWiths")}`)
  },
  upsertGasUsageConfigIntent: (told) =>
    `Set the limits of sponsorship: ${told.say("orgWindowLimitUsd")} US dollars for the organization and ${told.say("subOrgWindowLimitUsd")} for each sub-organization in ${told.say("windowDurationMinutes")} minutes${told.has("enabled") ? (told.raw.enabled === true ? ", switched on" : ", switched off") : ""}`,
} satisfies FamilyWriters

/** The sentence of what is sent in place of a waiting transaction. */
function inPlace([first, ...waiting]: readonly Content[], account: string) {
  if (first === undefined) throw new TypeError("a replacement has a content")
  const { sentence } = sending(first, `from ${account}`)
  return { sentence, contents: [first, ...waiting] }
}

/** "Send 1 ETH … from …" of a content's "send 1 ETH …". */
function sending(content: Content, account: string) {
  const { summary, facts } = content
  const verb =
    facts.length === 0 ? `Send ${summary}` : `${summary.charAt(0).toUpperCase()}${summary.slice(1)}`
  const sentence = account === "" ? verb : `${verb}, ${account}`
  return { sentence, contents: [content] }
}
