// Words of requests to sign.
import { counted } from "../../../counted.ts"
import { summaryOf } from "./content.ts"
import { payloadContents } from "./payload.ts"
import { transactionContent } from "./transaction.ts"
import { listed } from "../../../words/text.ts"
import type { FamilyWriters } from "../../../words/writer.ts"

export const signing = {
  signRawPayloadIntent(members, context) {
    const [contents = []] = payloadContents([members.raw.payload], members.raw, context)
    return { sentence: `Sign ${summaryOf(contents)} with ${members.say("privateKeyId")}`, contents }
  },
  signRawPayloadIntentV2(members, context) {
    const [contents = []] = payloadContents([members.raw.payload], members.raw, context)
    return { sentence: `Sign ${summaryOf(contents)} with ${members.say("signWith")}`, contents }
  },
  signRawPayloadsIntent(members, context) {
    const { payloads } = members.raw
    const read = payloadContents(payloads, members.raw, context)
    const summaries = read.map(summaryOf)
    const sentence = `Sign ${counted(payloads.length, "payload")} with ${members.say("signWith")}: ${listed(summaries)}`
    const contents = read.flatMap((readings, index) =>
      readings.map((one) => ({ ...one, title: `Payload ${index + 1}: ${one.title}` })),
    )
    return { sentence, contents }
  },
  signTransactionIntent(members, context) {
    const content = transactionContent(members.raw, members.raw.privateKeyId, context)
    const sentence = `Sign a transaction with ${members.say("privateKeyId")}: ${content.summary}`
    return { sentence, contents: [content] }
  },
  signTransactionIntentV2(members, context) {
    const content = transactionContent(members.raw, members.raw.signWith, context)
    return {
      sentence: `Sign a transaction with ${members.say("signWith")}: ${content.summary}`,
      contents: [content],
    }
  },
} satisfies FamilyWriters
