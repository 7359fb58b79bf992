// Arguments of contract calls, each value a fact of its own.
import { checksumAddress, ethereumAddressBytes } from "../../../address/ethereum.ts"
import type { AbiParameter } from "../../../contract-interface/abi-type.ts"
import type { Argument } from "../../../contract-interface/decode-call.ts"
import { nameText, quoted } from "../../../words/text.ts"
import { identified, scalarText } from "../../../words/values.ts"
import type { DescriptionLine, NameOf } from "../../../words/words.ts"

/** An address with the checksum of EIP-55 behind its name. @param address hexadecimal with 0x */
export function addressText(address: string, nameOf: NameOf): string {
  return identified(checksumAddress(address.slice(2)), nameOf)
}

/** The account of a request, in whatever spelling it names it. */
export function accountText(text: string, nameOf: NameOf): string {
  return ethereumAddressBytes(text) === undefined ? identified(text, nameOf) : addressText(text, nameOf)
}

export function argumentsFacts(
  inputs: readonly AbiParameter[],
  values: readonly Argument[],
  nameOf: NameOf,
): DescriptionLine[] {
  return inputs.flatMap((input, index) => memberFacts(input, values[index], `Argument `, index, nameOf))
}

function memberFacts(
  { name, type }: AbiParameter,
  value: Argument | undefined,
  before: string,
  index: number,
  nameOf: NameOf,
): DescriptionLine[] {
  return valueFacts(type, value, `${before}${name === "" ? index + 1 : nameText(name)}`, nameOf)
}

function valueFacts(
  type: AbiParameter["type"],
  value: Argument | undefined,
  place: string,
  nameOf: NameOf,
): DescriptionLine[] {
  const items = Array.isArray(value) ? (value as readonly Argument[]) : undefined
  if (items !== undefined && type.is === "tuple")
    return type.members.flatMap((member, at) => memberFacts(member, items[at], `${place}.`, at, nameOf))
  if (items !== undefined && type.is === "array")
    return items.length === 0
      ? [{ name: place, value: "none" }]
      : items.flatMap((item, at) => valueFacts(type.of, item, `${place}[${at}]`, nameOf))
  return [{ name: place, value: argumentText(type.is === "address", value, nameOf) }]
}

export function argumentText(isAddress: boolean, value: Argument | undefined, nameOf: NameOf): string {
  if (typeof value === "string") return quoted(value)
  if (typeof value !== "object" || !("hex" in value)) return scalarText(value)
  return isAddress ? addressText(value.hex, nameOf) : value.hex
}
