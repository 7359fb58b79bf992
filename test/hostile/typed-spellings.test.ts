import { TypedDataEncoder } from "ethers"
import t from "tap"
import { hashTypedData } from "viem"
import { outcomeOf, signParams } from "../harness/api-client.ts"
import { stampWith } from "../harness/stamper.ts"
import { asRoot, refused } from "./setup.ts"
import { allow, deny, type MemberFixture, setupMembers } from "./consensus-fixture.ts"

const CONTRACT = "0xCcCCccccCCCCcCCCCCCcCcCccCcCCCcCcccccccC"

const TYPES = {
  Sale: [
    { name: "tokenId", type: "uint256" },
    { name: "change", type: "int64" },
    { name: "buyer", type: "address" },
    { name: "note", type: "bytes" },
    { name: "items", type: "Item[]" },
  ],
  Item: [{ name: "ids", type: "uint8[]" }],
}

type Members = { readonly [name: string]: unknown }

const PLAIN = { tokenId: 5, change: -3, buyer: CONTRACT, note: "0xab", items: [{ ids: [1, 7] }] }
const DOMAIN = { chainId: 1, verifyingContract: CONTRACT }

/** Every other spelling of a member or of the domain, with one digest. */
const SPELLINGS: readonly (readonly [message: Members, domain?: Members])[] = [
  [{ tokenId: "5" }],
  [{ tokenId: "0x5" }],
  [{ tokenId: "0x0005" }],
  [{ change: "-3" }],
  [{ buyer: CONTRACT.toLowerCase() }],
  [{ note: "0xAB" }],
  [{ items: [{ ids: ["0x1", "7"] }] }],
  [{ items: [{ ids: [1, "0x07"] }] }],
  [{}, { chainId: "1" }],
  [{}, { chainId: "0x01" }],
  [{}, { verifyingContract: CONTRACT.toLowerCase() }],
]

const typedData = (message: Members = {}, domain: Members = {}) => ({
  types: TYPES,
  primaryType: "Sale" as const,
  domain: { ...DOMAIN, ...domain },
  message: { ...PLAIN, ...message },
})

function bodyOf({ client, acme, address }: MemberFixture, payload: object): string {
  const parameters = {
    ...signParams(address),
    encoding: "PAYLOAD_ENCODING_EIP712",
    payload: JSON.stringify(payload),
  }
  return client.body("ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2", acme.organizationId, parameters)
}

const message = (member: string) => `eth.eip_712.message['${member}']`

/** Conditions that are true of the plain payload. */
const TRUE_OF_ALL = [
  `${message("tokenId")} == '5'`,
  `'5' == ${message("tokenId")}`,
  `${message("tokenId")} == 5`,
  `${message("tokenId")} != '6'`,
  `${message("tokenId")} < '6' && ${message("tokenId")} >= '5' && ${message("tokenId")} > 4`,
  `${message("tokenId")} in ['4', '5']`,
  `['4', '5'].contains(${message("tokenId")})`,
  `!(${message("tokenId")} in ['6', '7'])`,
  `${message("change")} == '-3' && ${message("change")} < '0'`,
  `${message("buyer")} == '${CONTRACT}' && ${message("note")} == '0xAb'`,
  `${message("items")}.any(i, i['ids'].contains('7'))`,
  `${message("items")}.all(i, '7' in i['ids'] && i['ids'][0] == '1')`,
  `eth.eip_712.domain.chain_id == '1' && eth.eip_712.domain.verifying_contract == '${CONTRACT}'`,
]

t.test("B5: a DENY on typed data is passed by no other spelling of the same digest", async (t) => {
  const fixture = await setupMembers(t)
  const { client, dan } = fixture
  const plain = typedData()
  const digest = TypedDataEncoder.hash(plain.domain, TYPES, plain.message)
  const allowing = await allow(fixture, { policyName: "all", condition: TRUE_OF_ALL.join(" && ") })
  const signed = outcomeOf(await client.send(bodyOf(fixture, plain), dan.key))
  const payloads = SPELLINGS.map(([message, domain]) => typedData(message, domain))
  for (const payload of payloads) {
    const { domain, message } = payload
    const judged = [TypedDataEncoder.hash(domain, TYPES, message), hashTypedData(payload as never)]
    t.same(judged, [digest, digest], "ethers and viem see one digest")
    const { result } = outcomeOf(await client.send(bodyOf(fixture, payload), dan.key))
    t.same(result, signed.result, `allowed alike: ${JSON.stringify(payload)}`)
  }
  await asRoot(fixture).submit("DELETE_POLICY", { policyId: allowing })
  await allow(fixture)
  for (const condition of TRUE_OF_ALL) {
    const policyId = await deny(fixture, { condition })
    for (const payload of [plain, ...payloads]) {
      const body = bodyOf(fixture, payload)
      const attack = () => client.offer(body, stampWith(dan.key, body))
      await refused(t, fixture, "PERMISSION_DENIED", attack, `${condition}: ${body}`)
    }
    await asRoot(fixture).submit("DELETE_POLICY", { policyId })
  }
  t.match(await client.send(bodyOf(fixture, plain), dan.key), { is: "outcome" })
})

t.test("B5: an integer of typed data beside other text is a fault in every spelling", async (t) => {
  const fixture = await setupMembers(t)
  const { client, dan } = fixture
  await allow(fixture)
  await deny(fixture, { condition: `${message("tokenId")} == '0x5'` })
  const payloads = [5, "5", "0x5"].map((tokenId) => typedData({ tokenId }))
  for (const payload of payloads)
    t.match(await client.send(bodyOf(fixture, payload), dan.key), { is: "outcome" }, "passed over")
  await asRoot(fixture).submit("SET_ORGANIZATION_FEATURE", { name: "FEATURE_NAME_STRICT_DENY", value: "" })
  for (const payload of payloads) {
    const body = bodyOf(fixture, payload)
    const attack = () => client.offer(body, stampWith(dan.key, body))
    await refused(t, fixture, "PERMISSION_DENIED", attack, "strict")
  }
})
