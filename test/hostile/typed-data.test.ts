import t from "tap"
import { hashTypedData, recoverAddress } from "viem"
import { outcomeOf, signParams, valueOf } from "../harness/api-client.ts"
import { allow, setupMembers } from "./consensus-fixture.ts"
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
    ],
    signing,
  )
  t.match(await signing(good), { is: "outcome" })
  const unused = good.replace('"types":{', '"types":{"__proto__":[{"name":"x"}],')
  t.match(await signing(unused), { is: "outcome" }, "no digest covers a type that nothing contains")
})

const DOMAIN = { name: "Safe", chainId: 1, verifyingContract: `0x${"11".repeat(20)}` } as const
const LISTED = [
  { name: "name", type: "string" },
  { name: "chainId", type: "uint256" },
  { name: "verifyingContract", type: "address" },
]

t.test(
  "B5: a policy sees of a domain what the digest covers, in the standard's types, and nothing else",
  async (t) => {
    const fixture = await setupMembers(t)
    const { client, acme, address, dan } = fixture
    await allow(fixture, {
      condition: `eth.eip_712.domain.verifying_contract == '${DOMAIN.verifyingContract}' && eth.eip_712.domain.chain_id == 1 && eth.eip_712.domain.name == 'Safe'`,
    })
    const bodyOf = (listed: object[] | undefined, domain: object = DOMAIN) => {
      const types = { A: [], ...(listed && { EIP712Domain: listed }) }
      const payload = JSON.stringify({ types, primaryType: "A", domain, message: {} })
      return client.body("ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2", acme.organizationId, {
        ...signParams(address, payload),
        ...TYPED,
      })
    }
    const [name, chainId, contract] = LISTED as [object, object, object]
    const retyped = (member: string, type: string) =>
      LISTED.map((one) => (one.name === member ? { ...one, type } : one))
    const attacks: readonly (readonly [object[], object?])[] = [
      [[]],
      [[name]],
      [[chainId, contract]],
      [[name, contract]],
      [[name, chainId]],
      [retyped("verifyingContract", "string")],
      [retyped("verifyingContract", "bytes20")],
      [retyped("chainId", "uint8")],
      [retyped("chainId", "string"), { ...DOMAIN, chainId: "1" }],
      [retyped("name", "bytes"), { ...DOMAIN, name: "0x53616665" }],
    ]
    for (const [listed, domain] of attacks)
      await refused(t, fixture, "PERMISSION_DENIED", () => client.send(bodyOf(listed, domain), dan.key))
    // Any order, and members beside those of the standard.
    const salted = [...LISTED.toReversed(), { name: "app", type: "string" }]
    const allowed = [bodyOf(LISTED), bodyOf(undefined), bodyOf(LISTED.toReversed())]
    for (const body of [...allowed, bodyOf(salted, { ...DOMAIN, app: "x" })])
      t.match(await client.send(body, dan.key), { is: "outcome" })
  },
)

t.test("B5: typed data are signed as viem reads them, whatever the domain lists", async (t) => {
  const fixture = await setup(t)
  const { attempt } = asRoot(fixture)
  const signing = async (listed: object[]) => {
    const payload = { types: { A: [], EIP712Domain: listed }, primaryType: "A", domain: DOMAIN, message: {} }
    const params = { ...signParams(fixture.address, JSON.stringify(payload)), ...TYPED }
    const { r, s, v } = valueOf(
      outcomeOf(await attempt("SIGN_RAW_PAYLOAD_V2", params)),
      "signRawPayloadResult",
    )
    const signature = `0x${r}${s}${v === "00" ? "1b" : "1c"}` as const
    return recoverAddress({ hash: hashTypedData(payload as never), signature })
  }
  for (const listed of [LISTED, LISTED.toReversed(), LISTED.slice(1), [], [LISTED[2]!, LISTED[0]!]])
    t.equal((await signing(listed)).toLowerCase(), fixture.address.toLowerCase(), JSON.stringify(listed))
})

t.test("B5: typed data on whose digest wallets disagree are refused", async (t) => {
  const fixture = await setup(t)
  const { attempt } = asRoot(fixture)
  const signing = (payload: object) =>
    attempt("SIGN_RAW_PAYLOAD_V2", { ...signParams(fixture.address, JSON.stringify(payload)), ...TYPED })
  const whole = { types: { A: [] }, primaryType: "A", domain: {}, message: {} }
  const node = [{ name: "next", type: "Node" }]
  const bad: readonly (readonly [object, RegExp])[] = [
    [
      { ...whole, types: { A: [], EIP712Domain: [{ name: "app", type: "A" }] }, domain: { app: {} } },
      /EIP712Domain has a member whose type is a struct, A; wallets disagree on its digest/,
    ],
    [{ ...whole, domain: { app: "x" } }, /list its members in EIP712Domain/],
    [
      { ...whole, types: { Node: node }, primaryType: "Node", message: { next: null } },
      /message\.next is no object/,
    ],
    [{ ...whole, types: { A: [{ name: "a", type: "uint" }] }, message: { a: 5 } }, /unknown type/],
    [{ ...whole, domain: null }, /domain is no object/],
  ]
  for (const [payload, sentence] of bad) {
    await refused(t, fixture, "PAYLOAD_INVALID", () => signing(payload))
    t.match(await signing(payload), { sentence })
  }
})
