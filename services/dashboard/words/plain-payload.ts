// Payloads that are signed as plain bytes or text. A transaction, an authorization or a digest can be sent as such: the page says
// so, rather than call it a message.
import type { Json } from "../api/client.ts"
import { isBareDigest } from "./activity.ts"
import type { Decoded } from "./decoded.ts"

/** Reads bytes as a transaction of one chain; throws if they are none. */
type Reader = (bytes: Uint8Array) => Decoded

/** Readers by the hash function with which their chain signs transactions. */
export type TransactionReaders = { readonly [hashFunction: string]: Reader }

const OF_TRANSACTION =
  "This is a transaction, sent as bytes: its signature is good on the chain, and no policy on transactions applies to it."
const OF_DIGEST = "A bare digest: nobody can see what it stands for. It may be any transaction or message."
const OF_BYTES =
  "Nobody can see what these bytes stand for. They may be a transaction, an authorization or typed data."

/** The content that is signed by a payload of bytes or of text, decoded. */
export function plainPayload(payload: string, parameters: Json, readers: TransactionReaders): Decoded {
  if (isBareDigest(parameters))
    return { title: "Bare digest", facts: [["Digest", payload]], warning: OF_DIGEST }
  const isText = parameters["encoding"] === "PAYLOAD_ENCODING_TEXT_UTF8"
  const bytes = Uint8Array.from(
    isText ? Buffer.from(payload) : Buffer.from(payload.replace(/^0x/, ""), "hex"),
  )
  const hashFunction = typeof parameters["hashFunction"] === "string" ? parameters["hashFunction"] : ""
  const transaction = attempt(() => readers[hashFunction]?.(bytes))
  if (transaction !== undefined) {
    const { warning = "" } = transaction
    return { ...transaction, warning: `${OF_TRANSACTION} ${warning}`.trim() }
  }
  const text = readableText(bytes)
  if (text !== undefined) return messageOf(text)
  return {
    title: "Payload",
    facts: [
      [isText ? "Text" : "Bytes", payload],
      ["Hashed with", hashFunction],
    ],
    warning: OF_BYTES,
  }
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

const EIP191 = "\u0019Ethereum Signed Message:\n"

/** Characters of no text that a person reads: controls but tab and the ends of a line, and what is no character. */
const UNREADABLE = /(?![\t\n\r])[\p{Cc}\p{Cs}\p{Co}\p{Cn}]/u

/** UTF-8 that a person can read; undefined: it is something else. */
function readableText(bytes: Uint8Array): string | undefined {
  const text = attempt(() => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes))
  if (text === undefined) return undefined
  return UNREADABLE.test(text.startsWith(EIP191) ? text.slice(1) : text) ? undefined : text
}

/** A message; without prefix and length if wallets sign it by EIP-191 (personal_sign). */
function messageOf(text: string): Decoded {
  const plain: Decoded = { title: "Message", facts: [["Text", text]] }
  if (!text.startsWith(EIP191)) return plain
  const rest = text.slice(EIP191.length)
  const [digits = ""] = /^\d*/.exec(rest) ?? []
  // The text may begin with digits itself: only one division makes the length right.
  for (let length = 1; length <= digits.length; length++) {
    const content = rest.slice(length)
    if (String(Buffer.byteLength(content)) === rest.slice(0, length))
      return { title: "Message (EIP-191)", facts: [["Text", content]] }
  }
  return plain
}
