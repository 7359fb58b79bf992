// Words of transactions that the service fills, signs and broadcasts, and of their sponsorship.
import { cancellation, ethereumSend, rawSend, replacement } from "./ethereum-send.ts"
import { solanaSend } from "./solana.ts"
import { accountText } from "./arguments.ts"
import type { FamilyWriters } from "../../../words/writer.ts"
import type { Content } from "../../../words/words.ts"

export const sends = {
  ethSendTransactionIntent(members, context) {
    members.mention("from", "caip2", "to", "value")
    return sending(
      ethereumSend(members.raw, context),
      `from ${accountText(members.raw.from, context.nameOf)}`,
    )
  },
  ethSendTransactionIntentV2(members, context) {
    members.mention("from", "caip2")
    return sending(
      ethereumSend(members.raw, context),
      `from ${accountText(members.raw.from, context.nameOf)}`,
    )
  },
  ethUndelegate7702Intent(members, context) {
    members.mention("from", "caip2")
    return sending(ethereumSend(members.raw, context), "")
  },
  ethSendRawTransactionIntent(members, context) {
    const content = rawSend(members.raw, context)
    members.mention("caip2")
    return {
      sentence: `Broadcast a transaction that was signed elsewhere: ${content.summary}`,
      contents: [content],
    }
  },
  ethReplaceTransactionIntent(members, context) {
    members.mention("from", "caip2")
    return inPlace(replacement(members.raw, context), accountText(members.raw.from, context.nameOf))
  },
  ethCancelTransactionIntent(members, context) {
    members.mention("from", "caip2")
    return inPlace(cancellation(members.raw, context), accountText(members.raw.from, context.nameOf))
  },
  solSendTransactionIntent(members, context) {
    const content = solanaSend(members.raw, context)
    members.mention("caip2")
    return sending(content, `signed with ${members.say("signWith")}`)
  },
  solSendTransactionIntentV2(members, context) {
    const content = solanaSend(members.raw, context)
    members.mention("caip2")
    return sending(content, `signed with ${members.say("signWiths")}`)
  },
  upsertGasUsageConfigIntent: (members) =>
    `Set the limits of sponsorship: ${members.say("orgWindowLimitUsd")} US dollars for the organization and ${members.say("subOrgWindowLimitUsd")} for each sub-organization in ${members.say("windowDurationMinutes")} minutes${members.has("enabled") ? (members.raw.enabled === true ? ", switched on" : ", switched off") : ""}`,
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
