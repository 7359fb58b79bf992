// Words of requests to sign.
import { summaryOf } from "../contents/content.ts"
import { payloadContents } from "../contents/payload.ts"
import { transactionContent } from "../contents/transaction.ts"
import { counted, listed } from "../text.ts"
import type { FamilyWriters } from "../writer.ts"

export const signing = {
  signRawPayloadIntent(told, context) {
    const [contents = []] = payloadContents([told.raw.payload], told.raw, context)
    return { sentence: `Sign ${summaryOf(contents)} with ${told.say("privateKeyId")}`, contents }
  },
  signRawPayloadIntentV2(told, context) {
    const [contents = []] = payloadContents([told.raw.payload], told.raw, context)
    return { sentence: `Sign ${summaryOf(contents)} with ${told.say("signWith")}`, contents }
  },
  signRawPayloadsIntent(told, context) {
    const { payloads } = told.raw
    const read = payloadContents(payloads, told.raw, context)
    const summaries = read.map(summaryOf)
    const sentence = `Sign ${counted(payloads.length, "payload")} with ${told.say("signWith")}: ${listed(summaries)}`
    const contents = read.flatMap((readings, index) =>
      readings.map((one) => ({ ...one, title: `Payload ${index + 1}: ${one.title}` })),
    )
    return { sentence, contents }
  },
  signTransactionIntent(told, context) {
    const content = transactionContent(told.raw, told.raw.privateKeyId, context)
    const sentence = `Sign a transaction with ${told.say("privateKeyId")}: ${content.summary}`
    return { sentence, contents: [content] }
  },
  signTransactionIntentV2(told, context) {
    const content = transactionContent(told.raw, told.raw.signWith, context)
    return {
      sentence: `Sign a transaction with ${told.say("signWith")}: ${content.summary}`,
      contents: [content],
    }
  },
} satisfies FamilyWriters
