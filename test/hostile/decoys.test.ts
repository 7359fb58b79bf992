// Members that no activity, or another one, has, stamped beside those that the signer reads, and sent past the API tier.
import t from "tap"
import { serializeTransaction } from "viem"
import { activityTypes } from "../../proto/catalog.ts"
import { CLIENT_MEMBERS } from "../../signer/core/request/client-members.ts"
import { readBodyText } from "../../signer/core/request/read-body.ts"
import { asRoot, refused, setup } from "./setup.ts"

const FRIEND = "0x00000000000000000000000000000000000000aa"
const THIEF = "0x00000000000000000000000000000000000000bb"
const ETHER = 10n ** 18n

const remark = "zzUnheardOfRemark"

t.test("W28: an amount and a recipient beside the calls of a send are refused by the signer", async (t) => {
  const fixture = await setup(t)
  const { attempt } = asRoot(fixture)
  const send = { from: fixture.address, caip2: "eip155:1", nonce: "0", gasLimit: "21000" }
  const fees = { maxFeePerGas: "1000000000", maxPriorityFeePerGas: "0" }
  const calls = [{ to: THIEF, value: String(1000n * ETHER) }]
  const honest = await attempt("ETH_SEND_TRANSACTION_V2", { ...send, ...fees, calls })
  t.notMatch(honest, { code: "REQUEST_INVALID" })
  for (const decoy of [{ to: FRIEND }, { value: "5" }, { data: "0x" }, { To: FRIEND }])
    await refused(t, fixture, "REQUEST_INVALID", () =>
      attempt("ETH_SEND_TRANSACTION_V2", { ...send, ...fees, ...decoy, calls }),
    )
})

t.test("W28: a message beside the transaction to sign is refused by the signer", async (t) => {
  const fixture = await setup(t)
  const { attempt } = asRoot(fixture)
  const unsigned = serializeTransaction({ chainId: 1, to: FRIEND, value: 5n, gas: 21_000n, maxFeePerGas: 1n })
  const transaction = unsigned.slice(2)
  const type = "TRANSACTION_TYPE_ETHEREUM"
  const sign = { sign_with: fixture.address, unsigned_transaction: transaction, type }
  t.match(await attempt("SIGN_TRANSACTION_V2", sign), { is: "outcome" }, "proto names are read")
  for (const decoy of [{ payload: "Log in to example.org" }, { payloads: ["Log in"] }, { message: "Log in" }])
    await refused(t, fixture, "REQUEST_INVALID", () => attempt("SIGN_TRANSACTION_V2", { ...sign, ...decoy }))
  await refused(t, fixture, "REQUEST_INVALID", () =>
    attempt("SIGN_TRANSACTION_V2", { ...sign, [remark]: "x" }),
  )
  await refused(t, fixture, "REQUEST_INVALID", () => {
    const { client, acme } = fixture
    const body = JSON.parse(
      client.body("ACTIVITY_TYPE_SIGN_TRANSACTION_V2", acme.organizationId, sign),
    ) as object
    return client.send(JSON.stringify({ ...body, payload: "Log in to example.org" }), acme.root)
  })
})

t.test("W28: members of a new root quorum are read in either spelling", async (t) => {
  const fixture = await setup(t)
  const { client, acme } = fixture
  const { organizationId, root, rootUserId } = acme
  const parameters = { threshold: 1, user_ids: [rootUserId] }
  const body = client.body("ACTIVITY_TYPE_UPDATE_ROOT_QUORUM", organizationId, parameters)
  t.same(readBodyText(body).clean, { threshold: 1, userIds: [rootUserId] })
  t.match(await client.send(body, root), { is: "outcome" })
})

t.test(
  "W28: the signer refuses a decoy in every activity, and other members where they may not be",
  async (t) => {
    const fixture = await setup(t)
    const { client, acme } = fixture
    for (const { type, served, ignoresUnknownMembers } of activityTypes.values()) {
      if (!served) continue
      const parameters = (more: object) => client.body(type, acme.organizationId, more)
      for (const decoy of ["policyCondition", "encrypted_bundle"].filter((name) => !placesHave(type, name))) {
        const answer = await client.send(parameters({ [decoy]: "x" }), acme.root)
        t.match(answer, { is: "refused", code: "REQUEST_INVALID", field: `parameters.${decoy}` }, type)
      }
      const answer = await client.send(parameters({ [remark]: "x" }), acme.root)
      const field = `parameters.${remark}`
      if (ignoresUnknownMembers) t.not(answer.is === "refused" && answer.field === field, true, type)
      else t.match(answer, { is: "refused", code: "REQUEST_INVALID", field }, type)
      const ofClients = Object.fromEntries(CLIENT_MEMBERS.map(({ place }) => [place.split(".")[1], true]))
      const sent = await client.send(parameters(ofClients), acme.root)
      t.notMatch(sent, { field: /generateAppProofs/ }, type)
    }
  },
)

/** True if the activity has a member of this name at its top. */
function placesHave(type: string, name: string): boolean {
  return activityTypes
    .get(type)!
    .intentSchema.fields.some((field) => [field.name, field.jsonName].includes(name))
}

t.test("W28: the operator admits a member of one activity, and no decoy", async (t) => {
  const admitted = `ACTIVITY_TYPE_CREATE_POLICY_V3.parameters.${remark}`
  const fixture = await setup(t, { COUNTERSIGN_SIGNER_ADMITTED_MEMBERS: admitted })
  const { attempt, submit } = asRoot(fixture)
  const policy = { policyName: "fence", effect: "EFFECT_ALLOW", condition: "wallet.id == 'none'", notes: "" }
  await submit("CREATE_POLICY_V3", { ...policy, [remark]: "x" })
  const policies = [{ ...policy, [remark]: "x" }]
  await refused(t, fixture, "REQUEST_INVALID", () => attempt("CREATE_POLICIES", { policies }))
  await refused(t, fixture, "REQUEST_INVALID", () => attempt("CREATE_POLICY_V3", { ...policy, payload: "x" }))
})
