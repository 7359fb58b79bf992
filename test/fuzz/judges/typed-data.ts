// viem.
import { BaseError, hashTypedData as hashByViem } from "viem"
import { ownVectors, publishedVectors } from "../../harness/vectors.ts"
import { type Judge, requireSame } from "../engine/reader.ts"

type Own = {
  signed: { viem: string; ethers: string }[]
  agreed: { payload: object }[]
  accepted: { payload: string }[]
  refused: { payload: string }[]
}
type Published = { domain: object; primaryType: string; types: object; data: object }[]
type Json = {
  types: { [name: string]: { name: string; type: string }[] }
  primaryType: string
  domain?: object
  message: object
}

export const judge: Judge<Uint8Array> = {
  seeds() {
    const { signed, agreed, accepted, refused } = ownVectors<Own>("typed-data")
    const { options, read } = publishedVectors<Published>("ethers/typed-data.json")
    const published = options.skip === false ? read() : []
    return [
      ...signed.flatMap(({ viem, ethers }) => [viem, ethers]),
      ...agreed.map(({ payload }) => JSON.stringify(payload)),
      ...[...accepted, ...refused].map(({ payload }) => payload),
      ...published.map(({ data, ...rest }) => JSON.stringify({ ...rest, message: data })),
    ]
  },
  judge(input, outcome) {
    if ("refusal" in outcome) return
    const ours = `0x${Buffer.from(outcome.value).toString("hex")}`
    const given = JSON.parse(input.toString()) as Json
    const types = usedTypes(given)
    const theirs = hashOfViem({ domain: {}, ...given, types })
    if (theirs !== undefined) requireSame(ours, theirs, "viem")
  },
}

/** Undefined: it refuses an address in upper case, which has no other reading. */
function hashOfViem(given: object): string | undefined {
  try {
    return hashByViem(given as never)
  } catch (error) {
    if (error instanceof BaseError && /^Address "0x[0-9A-F]{40}" is invalid/.test(error.message))
      return undefined
    throw error
  }
}

/** The types that domain and message contain. Libraries check others too, which no digest covers. */
function usedTypes({ types, primaryType }: Json): Json["types"] {
  const used = new Map<string, Json["types"][string]>()
  const pending = ["EIP712Domain", primaryType]
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    const members = Object.hasOwn(types, name) ? types[name] : undefined
    if (members === undefined || used.has(name)) continue
    used.set(name, members)
    pending.push(...members.map(({ type }) => type.replace(/\[.*$/, "")))
  }
  return Object.fromEntries(used)
}
