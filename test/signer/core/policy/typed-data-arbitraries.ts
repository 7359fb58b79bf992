import fc from "fast-check"

// Random typed data, and ways to write each value of it in JSON. Every way has the same digest.

export type Member = { readonly name: string; readonly type: string }
export type Types = { readonly [struct: string]: readonly Member[] }

/** A value without spelling: bytes and addresses as digits in lower case. */
export type Plain =
  | { is: "integer"; value: bigint }
  | { is: "hex"; digits: string }
  | { is: "address"; checksummed: string }
  | { is: "bool"; value: boolean }
  | { is: "text"; value: string }
  | { is: "list"; items: Plain[] }
  | { is: "struct"; members: (readonly [name: string, value: Plain])[] }

export type TypedData = {
  types: Types
  /** Any members in any order, as EIP712Domain lists them. */
  domainTypes: Member[]
  domain: Plain
  message: Plain
}

/** Chooses among the ways to write a value: a number from 0 up to the given one, exclusive. */
export type Choose = (choices: number) => number

const PRIMARY = "Order"
const ADDRESSES = [
  "0xCcCCccccCCCCcCCCCCCcCcCccCcCCCcCcccccccC",
  "0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826",
  "0x0000000000000000000000000000000000000001",
] as const

const DOMAIN: readonly Member[] = [
  { name: "name", type: "string" },
  { name: "version", type: "string" },
  { name: "chainId", type: "uint256" },
  { name: "verifyingContract", type: "address" },
  { name: "salt", type: "bytes32" },
]

const elementaryType = fc.constantFrom(
  "uint8",
  "uint64",
  "uint256",
  "int8",
  "int256",
  "address",
  "bool",
  "string",
  "bytes",
  "bytes4",
  "bytes32",
)

/** True for a domain that every library makes of its members. */
export function isStandard({ domainTypes }: TypedData): boolean {
  const places = domainTypes.map((one) =>
    DOMAIN.findIndex(({ name, type }) => name === one.name && type === one.type),
  )
  return places.every((place, index) => place >= 0 && place > (places[index - 1] ?? -1))
}

/** Struct types of which each contains only those after it, and lists of itself. */
const types: fc.Arbitrary<Types> = fc
  .tuple(...[PRIMARY, "Party:Of", "Item"].map((name, index, all) => struct(name, all.slice(index + 1))))
  .map((structs) => Object.fromEntries(structs))

function struct(name: string, inner: readonly string[]): fc.Arbitrary<[string, Member[]]> {
  const base = inner.length > 0 ? fc.oneof(elementaryType, fc.constantFrom(...inner)) : elementaryType
  const dimensions = fc.constantFrom("", "", "", "[]", "[2]", "[][2]")
  const member = fc.tuple(base, dimensions).map((parts) => parts.join(""))
  const members = fc.array(member, { minLength: 1, maxLength: 4 })
  const itself = fc.constantFrom<string[]>([], [], [`${name}[]`])
  return fc
    .tuple(members, itself)
    .map(([list, own]) => [name, [...list, ...own].map((type, index) => ({ name: `m${index}`, type }))])
}

/** Members of the standard, some with other types, and others beside them. */
const domainMembers: fc.Arbitrary<Member[]> = fc.oneof(
  fc.subarray([...DOMAIN]),
  fc
    .tuple(
      fc.subarray([...DOMAIN]),
      fc.array(fc.tuple(elementaryType, fc.constantFrom("", "[]")), { maxLength: 2 }),
      fc.dictionary(fc.constantFrom(...DOMAIN.map(({ name }) => name)), elementaryType),
    )
    .map(([standard, others, changed]) => [
      ...standard.map(({ name, type }) => ({ name, type: changed[name] ?? type })),
      ...others.map(([type, dimension], index) => ({ name: `@own-${index}`, type: `${type}${dimension}` })),
    ])
    .chain((all) => fc.shuffledSubarray(all, { minLength: all.length })),
)

export const typedData: fc.Arbitrary<TypedData> = fc.tuple(types, domainMembers).chain(([all, domainTypes]) =>
  fc.record({
    types: fc.constant(all),
    domainTypes: fc.constant(domainTypes),
    domain: valueOfStruct(all, domainTypes),
    message: valueOfStruct(all, all[PRIMARY] ?? []),
  }),
)

function valueOfStruct(all: Types, members: readonly Member[], depth = 0): fc.Arbitrary<Plain> {
  const values = members.map(({ name, type }) =>
    valueOf(all, type, depth).map((value): readonly [string, Plain] => [name, value]),
  )
  return fc.tuple(...values).map((found): Plain => ({ is: "struct", members: found }))
}

/** Lists of structs end at this depth, as every list of a type within itself must. */
const MAX_DEPTH = 3

function valueOf(all: Types, type: string, depth: number): fc.Arbitrary<Plain> {
  const [, inner, size] = /^(.*)\[(\d*)\]$/.exec(type) ?? []
  if (inner !== undefined) {
    const length = size
      ? { minLength: Number(size), maxLength: Number(size) }
      : { maxLength: depth < MAX_DEPTH ? 2 : 0 }
    if (length.maxLength === 0) return fc.constant({ is: "list", items: [] })
    return fc.array(valueOf(all, inner, depth + 1), length).map((items): Plain => ({ is: "list", items }))
  }
  const members = all[type]
  return members === undefined ? elementary(type) : valueOfStruct(all, members, depth + 1)
}

function elementary(type: string): fc.Arbitrary<Plain> {
  if (type === "bool") return fc.boolean().map((value): Plain => ({ is: "bool", value }))
  if (type === "string")
    return fc.string({ unit: "grapheme", maxLength: 5 }).map((value): Plain => ({ is: "text", value }))
  if (type === "address")
    return fc.constantFrom(...ADDRESSES).map((checksummed): Plain => ({ is: "address", checksummed }))
  if (type.startsWith("bytes")) {
    const length = Number(type.slice("bytes".length))
    const bytes = fc.uint8Array(length > 0 ? { minLength: length, maxLength: length } : { maxLength: 5 })
    return bytes.map((found): Plain => ({ is: "hex", digits: Buffer.from(found).toString("hex") }))
  }
  const bits = BigInt(type.replace(/^u?int/, ""))
  const [min, max] = type.startsWith("u")
    ? [0n, 2n ** bits - 1n]
    : [-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n]
  const small = fc.bigInt({ min: min < 0n ? -20n : 0n, max: 20n })
  return fc.oneof(small, fc.bigInt({ min, max })).map((value): Plain => ({ is: "integer", value }))
}

/** The payload in JSON, each value written in one of its ways. */
export function write(data: TypedData, choose: Choose): string {
  const { types: all, domainTypes, domain, message } = data
  // Without the type, libraries make the standard's of the domain's members.
  const isListed = !isStandard(data) || choose(2) === 0
  const listed = isListed ? { EIP712Domain: domainTypes } : {}
  const parts = {
    types: JSON.stringify(choose(2) === 0 ? { ...listed, ...all } : { ...all, ...listed }),
    primaryType: JSON.stringify(PRIMARY),
    domain: writeValue(domain, choose, isListed),
    message: writeValue(message, choose, true),
  }
  const more = choose(4) === 0 ? { account: '"ignored"' } : {}
  const members = Object.entries({ ...parts, ...more }).map(([name, text]) => `"${name}":${text}`)
  return `{${turned(members, choose).join(choose(2) === 0 ? "," : " ,\n")}}`
}

/** `mayHaveMore`: members that the type does not have are ignored in it. */
function writeValue(value: Plain, choose: Choose, mayHaveMore: boolean): string {
  switch (value.is) {
    case "bool":
      return String(value.value)
    case "text":
      return choose(2) === 0 ? JSON.stringify(value.value) : `"${escaped(value.value)}"`
    case "integer":
      return writeInteger(value.value, choose)
    case "hex":
      return JSON.stringify(`0x${choose(2) === 0 ? value.digits : value.digits.toUpperCase()}`)
    case "address": {
      const { checksummed } = value
      const capitals = `0x${checksummed.slice(2).toUpperCase()}`
      return JSON.stringify([checksummed, checksummed.toLowerCase(), capitals][choose(3)])
    }
    case "list":
      return `[${value.items.map((item) => writeValue(item, choose, mayHaveMore)).join(",")}]`
    case "struct": {
      const members = value.members.map(
        ([name, member]) =>
          `"${choose(2) === 0 ? name : escaped(name)}":${writeValue(member, choose, mayHaveMore)}`,
      )
      const more = mayHaveMore && choose(4) === 0 ? ['"extra":5'] : []
      return `{${turned([...members, ...more], choose).join(",")}}`
    }
    default:
      return value satisfies never
  }
}

function writeInteger(value: bigint, choose: Choose): string {
  const magnitude = (value < 0n ? -value : value).toString(16)
  const sign = value < 0n ? "-" : ""
  const isSafe = magnitude.length < 13
  const hex = [magnitude, magnitude.toUpperCase(), `00${magnitude}`].map((digits) => `"${sign}0x${digits}"`)
  const ways = [...(isSafe ? [String(value)] : []), `"${value}"`, ...hex]
  return ways[choose(ways.length)] ?? ""
}

function escaped(text: string): string {
  return Array.from({ length: text.length }, (_, index) => {
    return `\\u${text.charCodeAt(index).toString(16).padStart(4, "0")}`
  }).join("")
}

function turned<T>(list: readonly T[], choose: Choose): T[] {
  const first = choose(list.length + 1)
  return [...list.slice(first), ...list.slice(0, first)]
}

/** Expressions on every value of the payload, with literals that are and are not equal to it. */
export function expressionsOf({ message }: TypedData): string[] {
  return [
    ...["1", "'1'", "0"].map((literal) => `eth.eip_712.domain.chain_id == ${literal}`),
    `eth.eip_712.domain.verifying_contract == '${ADDRESSES[0]}'`,
    "eth.eip_712.domain.verifying_contract == '' || eth.eip_712.domain.verifying_contract[2..3] == 'C'",
    "eth.eip_712.domain.name == '' && eth.eip_712.domain.version != 'a'",
    ...expressionsOn(message, "eth.eip_712.message"),
  ]
}

function expressionsOn(value: Plain, path: string): string[] {
  switch (value.is) {
    case "struct":
      return value.members.flatMap(([name, member]) => expressionsOn(member, `${path}['${name}']`))
    case "list": {
      const own = [
        `${path}.count() == 1`,
        `${path}.any(x, x == '5')`,
        `${path}.contains(5)`,
        `'0x05' in ${path}`,
      ]
      return [...own, ...value.items.flatMap((item, index) => expressionsOn(item, `${path}[${index}]`))]
    }
    case "integer":
      return [
        ...[value.value, 5n].flatMap((one) => [`${path} == '${one}'`, `${path} in ['${one}', '7']`]),
        `${path} > 5 || ${path} < '5'`,
        `${path} != '0x${value.value.toString(16)}'`,
        `${path}[0..1] == '5'`,
      ]
    case "hex":
    case "address": {
      const text = value.is === "hex" ? `0x${value.digits}` : value.checksummed
      const own = [text, text.toUpperCase(), ADDRESSES[1]].map((one) => `${path} == '${one}'`)
      const lookUp = `eth.eip_712.message[${path}[2..4]] == 5`
      return [
        ...own,
        `CaseInsensitiveString(${path}) == '${text.toLowerCase()}'`,
        `${path}[2..4] == 'cC'`,
        lookUp,
      ]
    }
    case "text":
      return [`${path} == '5'`, `${path} == 5`, `${path} != 'a'`, `${path}[0..1] == 'a'`]
    case "bool":
      return [path, `${path} == true`, `${path} == 'true'`]
    default:
      return value satisfies never
  }
}
