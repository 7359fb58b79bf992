// Transactions of Cosmos chains in words: the documents that are hashed for a signature.
import { Fault } from "../../../fault.ts"
import { isJsonObject, type JsonMembers, parseStrictJson } from "../../../../../proto/strict-json.ts"
import { listed, nameText, quoted } from "../../../words/text.ts"
import { scalarText } from "../../../words/values.ts"
import type { Content, DescriptionLine } from "../../../words/words.ts"

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

const HIDDEN =
  "Nobody can see here what its messages do: their fields are in the encoding of their own modules."

/** Members of StdSignDoc (SIGN_MODE_LEGACY_AMINO_JSON). It may also have `timeout_height` and others. */
const MEMBERS = ["account_number", "chain_id", "fee", "msgs", "sequence"]

/** A transaction as JSON, which is signed as text. @throws for any other bytes */
export function cosmosJson(bytes: Uint8Array): Content {
  const document = parseStrictJson(utf8.decode(bytes))
  const isDocument = isJsonObject(document) && MEMBERS.every((name) => Object.hasOwn(document, name))
  const messages = isDocument ? document["msgs"] : undefined
  if (!isDocument || !Array.isArray(messages) || messages.every(isText))
    throw new Fault("transaction", "no transaction of Cosmos", 0)
  const facts = Object.keys(document).flatMap((name) => memberFacts(document[name], nameText(name)))
  return content(scalarText(document["chain_id"]), messages.map(messageText), facts, [])
}

/** A text that wallets sign in this form (ADR-036). No chain has messages of this type. */
function isText(message: unknown): boolean {
  return isJsonObject(message) && message["type"] === "sign/MsgSignData"
}

function messageText(message: unknown): string {
  const { type, value } = isJsonObject(message) ? message : ({} as JsonMembers)
  const members = memberFacts(value, "").map((fact) => `${fact.name} ${fact.value}`)
  return `${quoted(scalarText(type))} (${listed(members)})`
}

/** Every value within a value, by its path. */
function memberFacts(value: unknown, name: string): DescriptionLine[] {
  if (Array.isArray(value))
    return value.length === 0
      ? [{ name, value: "none" }]
      : value.flatMap((item, at) => memberFacts(item, `${name}[${at}]`))
  if (isJsonObject(value))
    return Object.entries(value).flatMap(([member, one]) =>
      memberFacts(one, name === "" ? nameText(member) : `${name}.${nameText(member)}`),
    )
  return [{ name, value: typeof value === "string" ? quoted(value) : scalarText(value) }]
}

/**
 * SignDoc (SIGN_MODE_DIRECT): `body (1) || authorizations (2) || chain id (3) || account number (4)`, the last left out if 0.
 *
 * @throws for any other bytes
 */
export function cosmosDirect(bytes: Uint8Array): Content {
  const fields = fieldsOf(bytes)
  const numbers = fields.map(({ number }) => number).join()
  const [body, , chain] = fields
  if (!/^1,2,3(?:,4)?$/.test(numbers) || body === undefined || chain === undefined)
    throw new Fault("transaction", "no transaction of Cosmos", 0)
  const parts = fieldsOf(body.bytes)
  const messages = parts.filter(({ number }) => number === 1).map((one) => fieldsOf(one.bytes))
  const types = messages.map(typeOf)
  if (types.length === 0) throw new Fault("transaction", "a transaction without messages", 0)
  const facts = messages.flatMap((message, at) => [
    { name: `Message ${at + 1}`, value: quoted(types[at] ?? "") },
    { name: `Message ${at + 1} › Fields`, value: hexOf(message.find(({ number }) => number === 2)) },
  ])
  const memo = parts.find(({ number }) => number === 2)
  return content(
    utf8.decode(chain.bytes),
    types.map((type) => quoted(type)),
    [...facts, ...(memo === undefined ? [] : [{ name: "Memo", value: quoted(utf8.decode(memo.bytes)) }])],
    [HIDDEN],
  )
}

type Field = { readonly number: number; readonly bytes: Uint8Array }

/** The type of a message: `/cosmos.bank.v1beta1.MsgSend`. */
function typeOf(message: readonly Field[]): string {
  const type = utf8.decode(message.find(({ number }) => number === 1)?.bytes ?? new Uint8Array())
  if (/^\/[\w.]+$/.test(type)) return type
  throw new Fault("transaction", "a message without a type", 0)
}

const hexOf = (field: Field | undefined) => Buffer.from(field?.bytes ?? []).toString("hex") || "none"

const [VARINT, LENGTH] = [0, 2] as const

/** Fields of a message of Protocol Buffers, in any order. Numbers have no bytes. @throws Fault transaction */
function fieldsOf(message: Uint8Array): Field[] {
  const fields: Field[] = []
  let at = 0
  const varint = (): number => {
    let value = 0
    for (let factor = 1; at < message.length; factor *= 128) {
      const byte = message[at++] ?? 0
      value += (byte & 127) * factor
      if (byte < 128) return value
    }
    throw new Fault("transaction", "a number ends too early", at)
  }
  while (at < message.length) {
    const tag = varint()
    const [number, wire] = [Math.floor(tag / 8), tag % 8]
    if (wire !== VARINT && wire !== LENGTH) throw new Fault("transaction", "a field of another wire type", at)
    const length = varint()
    const end = wire === VARINT ? at : at + length
    if (end > message.length) throw new Fault("transaction", "a field is longer than its message", at)
    fields.push({ number, bytes: message.subarray(at, end) })
    at = end
  }
  return fields
}

function content(
  chain: string,
  messages: readonly string[],
  facts: readonly DescriptionLine[],
  warnings: readonly string[],
): Content {
  return {
    title: "Cosmos transaction",
    summary: `a transaction of a Cosmos chain, ${quoted(chain)}: ${listed(messages)}`,
    facts: [{ name: "Chain", value: quoted(chain) }, ...facts],
    warnings,
  }
}
