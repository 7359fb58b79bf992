// Payloads that are signed as bytes or text. They may be a transaction, an authorization, typed data or a
// digest. Each reading that the bytes have is shown, whatever hash function the request names.
import {
  PayloadEncoding,
  HashFunction,
  HashFunctionSchema,
} from "../../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { counted } from "../../../counted.ts"
import { hexPayload, textPayload } from "../../../payload/plain.ts"
import { HashBudget } from "../../../payload/typed-data/budget.ts"
import { readUserOperation } from "../../../payload/user-operation/user-operation.ts"
import { digested } from "../../../words/values.ts"
import type { Content, WordsContext } from "../../../words/words.ts"
import { readContent } from "./content.ts"
import { disguisesOf } from "./disguises.ts"
import { messageContent, readableText } from "./message.ts"
import { userOperationContent } from "./user-operation.ts"
import { authorizationContent, typedDataContent } from "./typed-data.ts"

export type PayloadForm = { readonly encoding: PayloadEncoding; readonly hashFunction: HashFunction }

const DIGEST_BYTES = 32
const POSSIBLE_DIGEST =
  "32 bytes may be the digest of anything. Nobody can see what it stands for: it may be any transaction or message."
const OPAQUE =
  "Nobody can see what these bytes stand for. They may be a transaction, an authorization or typed data."

/** The contents of a request's payloads, each with all readings that it has. */
export function payloadContents(
  payloads: readonly string[],
  parameters: PayloadForm,
  context: WordsContext,
): Content[][] {
  // The signer bounds all payloads of a request together.
  const budget = new HashBudget()
  return payloads.map((payload) => readings(payload, parameters, budget, context))
}

function readings(
  payload: string,
  { encoding, hashFunction }: PayloadForm,
  budget: HashBudget,
  context: WordsContext,
): Content[] {
  switch (encoding) {
    case PayloadEncoding.EIP712:
      return [readContent("Typed data", () => typedDataContent(payload, budget, context))]
    case PayloadEncoding.ERC4337_USER_OPERATION:
      return [
        readContent("User operation (ERC-4337)", () =>
          userOperationContent(readUserOperation(payload), context),
        ),
      ]
    case PayloadEncoding.EIP7702_AUTHORIZATION:
      return [readContent("Authorization (EIP-7702)", () => authorizationContent(payload, context))]
    default: {
      const isText = encoding === PayloadEncoding.TEXT_UTF8
      let bytes: Uint8Array | undefined
      const refused = readContent("Payload", () => {
        bytes = isText ? textPayload(payload) : hexPayload(payload)
        return opaque(bytes, hashFunction)
      })
      return bytes === undefined ? [refused] : plainContents(bytes, hashFunction, context)
    }
  }
}

/** Readings of bytes: what they disguise, a possible digest, a message; else what nobody can see. */
function plainContents(bytes: Uint8Array, hashFunction: HashFunction, context: WordsContext): Content[] {
  const disguised = disguisesOf(bytes, context)
  // No digest begins with the 27 bytes of EIP-191 by chance, and nobody can make one that does.
  const isDigest = bytes.length === DIGEST_BYTES && afterPrefix(bytes) === undefined
  const found = [...disguised, ...(isDigest ? [possibleDigest(bytes)] : []), ...messagesOf(bytes)]
  return found.length > 0 ? found : [opaque(bytes, hashFunction)]
}

function possibleDigest(bytes: Uint8Array): Content {
  const hex = Buffer.from(bytes).toString("hex")
  return {
    title: "Possible digest",
    summary: `32 bytes that may be a digest (${hex})`,
    facts: [{ name: "Bytes", value: hex }],
    warnings: [POSSIBLE_DIGEST],
  }
}

function opaque(bytes: Uint8Array, hashFunction: HashFunction): Content {
  const hex = Buffer.from(bytes).toString("hex")
  return {
    title: "Bytes",
    summary: `${counted(bytes.length, "byte")} that nobody can read (${digested(hex)})`,
    facts: [
      { name: "Bytes", value: hex },
      { name: "Hashed with", value: HashFunctionSchema.value[hashFunction]?.name ?? String(hashFunction) },
    ],
    warnings: [OPAQUE],
  }
}

const EIP191 = "\u0019Ethereum Signed Message:\n"

/** The message that bytes are; none if a person cannot read them. */
function messagesOf(bytes: Uint8Array): Content[] {
  const prefixed = afterPrefix(bytes)
  if (prefixed === undefined) {
    const text = readableText(bytes)
    return text === undefined ? [] : [messageContent("Message", text)]
  }
  const text = readableText(prefixed)
  const digests = prefixed.length === DIGEST_BYTES ? [digestMessage(prefixed)] : []
  if (text !== undefined) return [...digests, messageContent("Message (EIP-191)", text)]
  if (digests.length > 0) return digests
  const { facts } = opaque(prefixed, HashFunction.UNSPECIFIED)
  const summary = `a message (EIP-191) of ${counted(prefixed.length, "byte")} that nobody can read`
  return [{ title: "Message (EIP-191)", summary, facts: facts.slice(0, 1), warnings: [OPAQUE] }]
}

/** A message of 32 bytes: accounts that are contracts take the signature of a transaction in this form. */
function digestMessage(bytes: Uint8Array): Content {
  const digest = possibleDigest(bytes)
  return {
    ...digest,
    title: "Possible digest in a message (EIP-191)",
    summary: `a message (EIP-191) of ${digest.summary}`,
    warnings: [
      ...digest.warnings,
      "Accounts that are contracts, such as Safe and those of ERC-4337, take transactions signed so.",
    ],
  }
}

/** The content of a message of EIP-191 (personal_sign). It may begin with digits itself: one division makes the length right. */
function afterPrefix(bytes: Uint8Array): Uint8Array | undefined {
  const whole = Buffer.from(bytes)
  if (!whole.subarray(0, EIP191.length).equals(Buffer.from(EIP191))) return undefined
  const rest = whole.subarray(EIP191.length)
  const [digits = ""] = /^\d{0,10}/.exec(rest.toString("latin1")) ?? []
  for (let length = 1; length <= digits.length; length++) {
    const content = rest.subarray(length)
    if (String(content.length) === digits.slice(0, length)) return content
  }
  return undefined
}
