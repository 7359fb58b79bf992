// Values of members, by the fields' types.
import type { DescField } from "@bufbuild/protobuf"
import { sha256 } from "@noble/hashes/sha2.js"
import { Form } from "../../../proto/gen/countersign/api/v1/options_pb.ts"
import { planOf } from "../../../proto/read-plan.ts"
import { counted } from "../counted.ts"
import { bracketed, quoted } from "./text.ts"
import type { NameOf } from "./words.ts"

/** Members whose text is an id, a key, an address or bytes, though no form is declared for them. */
const IDENTIFIER =
  /(?:id|ids|key|keys|tags|address|addresses|token|bundle|signature|transaction|blockhash|caip2|caip19)$|^(?:signWith|signWiths|from|to|data|path|cidr|challenge)$/i

/** Characters of ids, keys, addresses and bytes: none of them could end one and begin another word. */
const PLAIN = /^[+0-9A-Za-z][-0-9A-Za-z_+/=:.%']*$/

/** Longer ids and bytes are given by their length and digest: no person compares them. */
const MAX_PLAIN = 256

/** One value of a field, of a list's item or of a map's value. */
export function valueText(field: DescField, value: unknown, nameOf: NameOf): string {
  if (field.enum !== undefined) return field.enum.value[Number(value)]?.name ?? String(value)
  if (typeof value !== "string") return String(value)
  if (isLong(field, value)) return digested(value)
  return isIdentifier(field) ? identified(value, nameOf) : quoted(value)
}

/** Bytes that no person compares, and the interface of a contract, whose functions are shown as content. */
function isLong({ jsonName }: DescField, text: string): boolean {
  return text.length > MAX_PLAIN && (PLAIN.test(text) || jsonName === "smartContractInterface")
}

function isIdentifier(field: DescField): boolean {
  const form = planOf(field.parent).fields.get(field.jsonName)?.rule?.form ?? Form.UNSPECIFIED
  return form !== Form.UNSPECIFIED || IDENTIFIER.test(field.jsonName)
}

/** An id or an address behind its name: `[alice] 0198c0de-…`. The request has the id alone. */
export function identified(id: string, nameOf: NameOf): string {
  const name = nameOf(id)
  return name === undefined || name === "" ? bytesText(id) : `${bracketed(name)} ${bytesText(id)}`
}

/** An id, an address or bytes as they are; a text that could be taken for more is quoted, a long one is digested. */
export function bytesText(text: string): string {
  return PLAIN.test(text) ? text : quoted(text)
}

/** A text by its length and digest. */
export function digested(text: string): string {
  return `${counted(text.length, "character")}, SHA-256 ${sha256Hex(text)}`
}

export function sha256Hex(text: string): string {
  return Buffer.from(sha256(new TextEncoder().encode(text))).toString("hex")
}

/** The text of a number, a truth value or a text. Other values have words of their own before. */
export function scalarText(value: unknown): string {
  if (typeof value === "object" && value !== null) return "a value that is no scalar"
  return String(value)
}
