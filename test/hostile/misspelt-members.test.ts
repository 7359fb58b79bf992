// A body whose members the signer would not read as its user meant them, sent past the API tier.
import t from "tap"
import { valueOf } from "../harness/api-client.ts"
import { newKey } from "../harness/stamper.ts"
import { documentOf } from "../harness/document.ts"
import { asRoot, refused, setup } from "./setup.ts"

const policy = { policyName: "fence", effect: "EFFECT_ALLOW", notes: "" }
const condition = "wallet.id == 'none'"
const wallet = { walletName: "W", accounts: [] }

t.test("B2: a misspelt member, which would widen a right, is refused by the signer", async (t) => {
  const fixture = await setup(t)
  const { client, acme } = fixture
  const { attempt, submit } = asRoot(fixture)
  for (const misspelt of ["conditions", "conditon", "Condition", "condtiion"])
    await refused(t, fixture, "REQUEST_INVALID", () =>
      attempt("CREATE_POLICY_V3", { ...policy, [misspelt]: condition }),
    )
  const policies = [policy, { ...policy, policyName: "second", conditions: condition }]
  await refused(t, fixture, "REQUEST_INVALID", () => attempt("CREATE_POLICIES", { policies }))
  const { publicKeyHex: publicKey } = newKey()
  const apiKey = { apiKeyName: "late", publicKey, curveType: "API_KEY_CURVE_P256" }
  const keys = (more: object) => ({ userId: acme.rootUserId, apiKeys: [{ ...apiKey, ...more }] })
  await refused(t, fixture, "REQUEST_INVALID", () =>
    attempt("CREATE_API_KEYS_V2", keys({ expirationSecond: "60" })),
  )
  await submit("CREATE_POLICY_V3", { ...policy, condition })
  await submit("CREATE_API_KEYS_V2", keys({ expirationSeconds: "60" }))
  const { policies: kept } = documentOf(client, acme.organizationId)
  t.match(kept, [{ name: "fence", condition }])
})

t.test("B2: a misspelt member beside the parameters is refused by the signer", async (t) => {
  const fixture = await setup(t)
  const { client, acme } = fixture
  const body = client.body("ACTIVITY_TYPE_CREATE_POLICY_V3", acme.organizationId, policy)
  const send = (more: object) => client.send(JSON.stringify({ ...JSON.parse(body), ...more }), acme.root)
  await refused(t, fixture, "REQUEST_INVALID", () => send({ generateAppProof: true }))
  await refused(t, fixture, "REQUEST_INVALID", () => send({ Parameters: { condition } }))
  await refused(t, fixture, "REQUEST_INVALID", () => send({ comment: "of no meaning" }))
  t.match(await send({ generateAppProofs: true }), { is: "outcome" })
})

t.test(
  "B2: a misspelt member behind more unknown ones than are compared is refused by the signer",
  async (t) => {
    const fixture = await setup(t)
    const { attempt, submit } = asRoot(fixture)
    const strangers = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`of no meaning ${index}`, "x"]))
    await refused(t, fixture, "REQUEST_INVALID", () =>
      attempt("CREATE_WALLET", { ...wallet, ...strangers(100), mnemonicLengths: 12 }),
    )
    await refused(t, fixture, "REQUEST_INVALID", () =>
      attempt("CREATE_WALLET", { ...wallet, ...strangers(16_000), mnemonicLengths: 12 }),
    )
    await submit("CREATE_WALLET", { ...wallet, ...strangers(100), mnemonicLength: 12 })
  },
)

t.test(
  "B2: a key for an external signer is refused by the signer, and other unknown members are not",
  async (t) => {
    const fixture = await setup(t)
    const { attempt, submit } = asRoot(fixture)
    await refused(t, fixture, "REQUEST_INVALID", () =>
      attempt("CREATE_WALLET", { ...wallet, externalSignerPubkey: newKey().publicKeyHex }),
    )
    const made = await submit("CREATE_WALLET", { ...wallet, nickname: "of no meaning" })
    t.ok(valueOf(made, "createWalletResult").walletId)
  },
)
