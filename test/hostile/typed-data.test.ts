import { TypedDataEncoder } from "ethers"
import t from "tap"
import { hashTypedData } from "viem"
import { outcomeOf, signParams, valueOf } from "../harness/api-client.ts"
import { allRefused, asRoot, refused, setup } from "./setup.ts"

const TYPED = { encoding: "PAYLOAD_ENCODING_EIP712", hashFunction: "HASH_FUNCTION_NO_OP" }

/** Typed data whose one member `x` is as said, written out: JSON.stringify would write no member twice. */
function typedData(type: string, x: string, more = ""): string {
  return `{"types":{"A":[{"name":"x","type":"${type}"}]${more}},"primaryType":"A","domain":{},"message":{"x":${x}}}`
}

const list = (item: string, length: number) => `[${Array.from({ length }, () => item).join(",")}]`

/** Types that each contain the next, with names of the maximum length: hashing each includes all their text. */
function towerOfTypes(height: number): string {
  const nameOf = (index: number) => `T${index}`.padEnd(64, "x")
  const types: { [name: string]: object[] } = {}
  let message: { [member: string]: unknown } = {}
  for (let index = height; index >= 1; index--) {
    const names = Array.from({ length: 9 }, (_, at) => `m${index}_${at}`.padEnd(64, "y"))
    const next = index < height ? [{ name: "next", type: nameOf(index + 1) }] : []
    types[nameOf(index)] = [
      ...names.map((name) => ({ name, type: `bytes32${"[999999]".repeat(7)}[]` })),
      ...next,
    ]
    message = {
      ...Object.fromEntries(names.map((name) => [name, []])),
      ...(index < height && { next: message }),
    }
  }
  return JSON.stringify({ types, primaryType: nameOf(1), domain: {}, message })
}

t.test("B3: typed data of the largest body delays no other request", async (t) => {
  const fixture = await setup(t)
  const { address } = fixture
  const { attempt } = asRoot(fixture)
  const signing = (payload: string) =>
    attempt("SIGN_RAW_PAYLOAD_V2", { ...signParams(address, payload), ...TYPED })
  const signingAll = (payloads: string[]) =>
    attempt("SIGN_RAW_PAYLOADS", { signWith: address, payloads, ...TYPED })
  const bombs = [
    typedData("uint8[]", list("0", 900_000)),
    typedData("bool[]", list("true", 380_000)),
    typedData("string[]", list('""', 380_000)),
    typedData("uint8[][]", list("[]", 600_000)),
    typedData("B[]", list("{}", 600_000), ',"B":[]'),
  ]
  await allRefused(t, fixture, "PAYLOAD_INVALID", bombs, signing)
  const tower = towerOfTypes(48)
  t.match(await signing(tower), { is: "outcome" }, "one tower of types")
  const many = () => signingAll(Array.from({ length: 14 }, () => tower))
  await refused(t, fixture, "PAYLOAD_INVALID", many, "many of them in one body")
  const shares = Array.from({ length: 10 }, () => typedData("uint8[]", list("0", 8_000)))
  await refused(t, fixture, "PAYLOAD_INVALID", () => signingAll(shares), "many values, shared out")
  t.match(await signingAll(shares.slice(0, 2)), { is: "outcome" })
})

t.test("B2: ambiguous typed data is refused", async (t) => {
  const fixture = await setup(t)
  const { attempt } = asRoot(fixture)
  const signing = (payload: string) =>
    attempt("SIGN_RAW_PAYLOAD_V2", { ...signParams(fixture.address, payload), ...TYPED })
  const good = typedData("uint256", "1")
  const twice = (member: string) => good.replace(`"${member}":`, `"${member}":null,"${member}":`)
  await allRefused(
    t,
    fixture,
    "PAYLOAD_INVALID",
    [
      ...["types", "primaryType", "domain", "message", "x", "name", "type"].map(twice),
      good.replace('"message":', '"m\\u0065ssage":{"x":2},"message":'),
      typedData("uint256", "9007199254740993"),
      typedData("uint256", "1e400"),
      typedData("uint256", `"${"9".repeat(78)}"`),
      typedData("uint256", `"0x${"0".repeat(400_000)}1"`),
      typedData("A", "{}"),
      typedData("B", "{}", ',"B":[{"name":"a","type":"A[]"}]'),
      typedData("uint8[999999]", "[]"),
      typedData(`uint8${"[1]".repeat(500_000)}`, "[]"),
      typedData("string", '"\\ud800"'),
      typedData("uint8[][][][][][][][]", "[".repeat(500_000)),
      good.replace('{"x":', '{"__proto__":{"x":1},"y":'),
      good.replace('"domain":{}', '"domain":{"__proto__":{"name":"x"}}'),
      good.replace('"types":{', '"types":{"__proto__":[{"name":"x"}],'),
    ],
    signing,
  )
  t.match(await signing(good), { is: "outcome" })
})

t.test("B5: typed data with a domain member outside the hash is refused", async (t) => {
  const fixture = await setup(t)
  const { attempt } = asRoot(fixture)
  const domain = { name: "Safe", chainId: 1, verifyingContract: `0x${"11".repeat(20)}` }
  const members = [
    { name: "name", type: "string" },
    { name: "chainId", type: "uint256" },
    { name: "verifyingContract", type: "address" },
  ]
  const signing = (listed: object[] | undefined) => {
    const types = { A: [], ...(listed && { EIP712Domain: listed }) }
    const payload = JSON.stringify({ types, primaryType: "A", domain, message: {} })
    return attempt("SIGN_RAW_PAYLOAD_V2", { ...signParams(fixture.address, payload), ...TYPED })
  }
  const fewer = [[], members.slice(0, 1), members.slice(1), members.slice(0, 2), members.toSpliced(1, 1)]
  await allRefused(t, fixture, "PAYLOAD_INVALID", fewer, signing)
  const digests = await Promise.all(
    [signing(members), signing(undefined)].map(async (answer) => {
      return valueOf(outcomeOf(await answer), "signRawPayloadResult")
    }),
  )
  t.same(digests[0], digests[1], "listed or not, all of it is hashed")
})

t.test("B5: typed data whose domain type has another order than the standard is refused", async (t) => {
  const fixture = await setup(t)
  const { attempt } = asRoot(fixture)
  const domain = { name: "Safe", chainId: 1, verifyingContract: `0x${"11".repeat(20)}` } as const
  const members = [
    { name: "name", type: "string" },
    { name: "chainId", type: "uint256" },
    { name: "verifyingContract", type: "address" },
  ]
  const types = { A: [] }
  const payloadOf = (listed: object[]) => ({
    types: { EIP712Domain: listed, ...types },
    primaryType: "A",
    domain,
    message: {},
  })
  const signing = (listed: object[]) =>
    attempt("SIGN_RAW_PAYLOAD_V2", {
      ...signParams(fixture.address, JSON.stringify(payloadOf(listed))),
      ...TYPED,
    })
  const [name, chainId, contract] = members
  const others = [members.toReversed(), [chainId!, name!, contract!], [name!, contract!, chainId!]]
  const byEthers = TypedDataEncoder.hash(domain, types, {})
  for (const listed of others)
    t.not(hashTypedData(payloadOf(listed) as never), byEthers, "viem and ethers see two digests")
  await allRefused(t, fixture, "DOMAIN_TYPE_ORDER_INVALID", others, signing)
  t.match(await signing(members.toReversed()), {
    sentence:
      "invalid payload encoding: EIP712Domain lists verifyingContract before chainId; " +
      "list its members in the order name, version, chainId, verifyingContract, salt",
  })
  t.equal(hashTypedData(payloadOf(members) as never), byEthers, "the standard's order has one")
  t.match(await signing(members), { is: "outcome" })
})
