import { readBodyText } from "../../../../signer/core/request/read-body.ts"
import { wordsOfRequest } from "../../../../signer/core/words/request.ts"
import type { Words, WordsContext } from "../../../../signer/core/words/words.ts"

/** Words of a request of this type, without the prefix. */
export function wordsOf(type: string, parameters: object, context: Partial<WordsContext> = {}): Words {
  const organizationId = "0198c0de-0000-7000-8000-00000000000f"
  const body = { type: `ACTIVITY_TYPE_${type}`, timestampMs: "1700000000000", organizationId, parameters }
  return wordsOfRequest(readBodyText(JSON.stringify(body)), context)
}

/** Hash functions of raw payloads, by the last part of their names. */
export const HASHES = ["KECCAK256", "SHA256", "NOT_APPLICABLE"]

/** Words of bytes or text that are signed. */
export function wordsOfPayload(payload: string, encoding: string, hashFunction: string): Words {
  return wordsOf("SIGN_RAW_PAYLOAD_V2", {
    signWith: "0x1",
    payload,
    encoding: `PAYLOAD_ENCODING_${encoding}`,
    hashFunction: `HASH_FUNCTION_${hashFunction}`,
  })
}

/** Facts of the only content by their names. */
export function factsOf({ contents }: Words): { [name: string]: string | readonly string[] } {
  return Object.fromEntries(
    contents.flatMap(({ facts }) => facts.map(({ name, value, text }) => [name, text ?? value])),
  )
}

/** Titles of what the words describe, in their order. */
export const titlesOf = ({ contents }: Words): string[] => contents.map(({ title }) => title)
