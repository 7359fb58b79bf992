import { isDeepStrictEqual } from "node:util"
import { TypedDataEncoder } from "ethers"
import fc from "fast-check"
import t from "tap"
import { hashTypedData as hashByViem } from "viem"
import { HashBudget } from "../../../../../signer/core/payload/typed-data/budget.ts"
import { hashTypedData } from "../../../../../signer/core/payload/typed-data/hash.ts"
import { Budget, compile, evaluate } from "../../../../../signer/core/policy/expression.ts"
import { typedDataValue } from "../../../../../signer/core/modules/transactions/facts/typed-payloads.ts"
import {
  expressionsOf,
  isStandard,
  type TypedData,
  typedData,
  type Types,
  write,
} from "../../policy/typed-data-arbitraries.ts"

const choices = fc.infiniteStream(fc.nat())

t.test("payloads of one digest look the same to every expression", async (t) => {
  const counts = { strange: 0, alike: 0, judged: 0, true: 0, false: 0, fault: 0 }
  fc.assert(
    fc.property(typedData, choices, choices, (data, first, second) => {
      const texts = [first, second].map((stream) => write(data, (many) => stream.next().value % many))
      const [one = "", other = ""] = texts
      if (one === other) counts.alike += 1
      if (!isStandard(data)) counts.strange += 1
      const digests = texts.map((text) => `0x${Buffer.from(hashTypedData(text)).toString("hex")}`)
      for (const [index, text] of texts.entries()) {
        const judged = digestsByOthers(data, text)
        counts.judged += judged.length
        for (const digest of judged) if (digest !== digests[index]) throw new Error(`another digest: ${text}`)
      }
      if (digests[0] !== digests[1]) throw new Error(`two digests: ${texts.join(" ")}`)
      const views = texts.map((text) => typedDataValue(text, new HashBudget()))
      if (!isDeepStrictEqual(views[0], views[1])) throw new Error(`two views: ${texts.join(" ")}`)
      for (const expression of expressionsOf(data)) {
        const [seen, seenToo] = views.map((view) => outcomeOf(expression, view))
        counts[seen === "true" || seen === "false" ? seen : "fault"] += 1
        if (seen !== seenToo) throw new Error(`${expression}: ${seen}, ${seenToo}: ${texts.join(" ")}`)
      }
    }),
    { numRuns: 300 },
  )
  t.ok(counts.strange > 50, `${counts.strange} domains that are not the standard's`)
  t.ok(counts.alike < 30, `${counts.alike} pairs are one text`)
  t.ok(counts.judged > 400, `${counts.judged} digests by ethers or viem`)
  t.ok(counts.true > 300 && counts.false > 300 && counts.fault > 300, JSON.stringify(counts))
})

t.test("payloads of two digests look different where a value differs", async (t) => {
  const data = (value: bigint): TypedData => ({
    types: { Order: [{ name: "m0", type: "int256" }] },
    domainTypes: [],
    domain: { is: "struct", members: [] },
    message: { is: "struct", members: [["m0", { is: "integer", value }]] },
  })
  const values = [0n, 1n, -1n, 16n, 2n ** 255n - 1n, -(2n ** 255n)]
  const texts = values.map((value) => write(data(value), () => 0))
  const views = texts.map((text) =>
    JSON.stringify([...typedDataValue(text, new HashBudget())], bigintsAsText),
  )
  t.equal(new Set(texts.map((text) => Buffer.from(hashTypedData(text)).toString("hex"))).size, values.length)
  t.equal(new Set(views).size, values.length)
})

function bigintsAsText(_key: string, value: unknown): unknown {
  if (value instanceof Map) return [...value]
  return typeof value === "bigint" ? String(value) : value
}

function outcomeOf(text: string, view: ReturnType<typeof typedDataValue>): string {
  const outcome = evaluate(compile(text, "condition"), () => view, new Budget())
  return "value" in outcome ? String(outcome.value) : JSON.stringify(outcome.fault)
}

/**
 * The digests by the libraries that accept the text. viem refuses an address in capitals and a negative hexadecimal, ethers a
 * domain that is not the standard's and a type within itself.
 */
function digestsByOthers(data: TypedData, text: string): string[] {
  const { types, domainTypes } = data
  const { domain, message } = JSON.parse(text) as { domain: object; message: { [name: string]: unknown } }
  const reachable = reachableFrom("Order", types)
  const isForEthers = isStandard(data) && !("extra" in domain) && !hasListOfItself(reachable)
  const byEthers = isForEthers ? [TypedDataEncoder.hash(domain, reachable, message)] : []
  const described = { ...reachable, EIP712Domain: domainTypes }
  try {
    const payload = { domain, types: described, primaryType: "Order", message }
    return [...byEthers, hashByViem(payload as never)]
  } catch (error) {
    if (/0X|-0x/i.test(String(error))) return byEthers
    throw error
  }
}

function hasListOfItself(types: Types): boolean {
  return Object.entries(types).some(([name, members]) => members.some(({ type }) => type === `${name}[]`))
}

/** ethers refuses types that the message does not contain. */
function reachableFrom(
  struct: string,
  types: Types,
  above: readonly string[] = [],
): { [struct: string]: { name: string; type: string }[] } {
  const members = types[struct] ?? []
  const inner = members
    .map(({ type }) => type.replace(/\[.*$/, ""))
    .filter((base) => types[base] !== undefined && base !== struct && !above.includes(base))
  const below = inner.map((base) => reachableFrom(base, types, [...above, struct]))
  return Object.assign({ [struct]: [...members] }, ...below)
}
