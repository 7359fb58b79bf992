import { create, fromBinary, toBinary } from "@bufbuild/protobuf"
import t, { type Test } from "tap"
import { ActivityStatus, Outcome } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import {
  NotarizedDocumentSchema,
  OrganizationDocumentSchema,
} from "../../proto/gen/countersign/state/v1/document_pb.ts"
import { ethereumAccount, signParams, valueOf } from "../harness/api-client.ts"
import { fingerprintOf, stampWith, type TestKey } from "../harness/stamper.ts"
import { asRoot, refused, type Fixture, setup } from "./setup.ts"

const { CONSENSUS_NEEDED, COMPLETED, REJECTED } = ActivityStatus

type Member = { userId: string; key: TestKey }
type MemberFixture = Fixture & { dan: Member; eva: Member; fay: Member }

/** An organization of one root member, with three users whom only policies allow anything. */
async function setupMembers(t: Test): Promise<MemberFixture> {
  const base = await setup(t)
  const { client, acme } = base
  const [dan, eva, fay] = [
    await client.user(acme, "dan"),
    await client.user(acme, "eva"),
    await client.user(acme, "fay"),
  ]
  return { ...base, dan, eva, fay }
}

async function addPolicy(fixture: Fixture, policy: { [member: string]: string }): Promise<string> {
  const named = { policyName: JSON.stringify(policy), notes: "", ...policy }
  const outcome = await asRoot(fixture).submit("CREATE_POLICY_V3", named)
  return valueOf(outcome, "createPolicyResult").policyId
}

const allow = (fixture: Fixture, parts: { [member: string]: string } = {}) =>
  addPolicy(fixture, { effect: "EFFECT_ALLOW", ...parts })
const deny = (fixture: Fixture, parts: { [member: string]: string } = {}) =>
  addPolicy(fixture, { effect: "EFFECT_DENY", ...parts })

const bothOf = (one: Member, other: Member) =>
  `approvers.any(u, u.id == '${one.userId}') && approvers.any(u, u.id == '${other.userId}')`

function request({ client, acme, address }: Fixture, payload?: string): string {
  return client.body("ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2", acme.organizationId, signParams(address, payload))
}

function voteOn({ client, acme }: Fixture, type: "APPROVE" | "REJECT", body: string): string {
  const fingerprint = `sha256:${fingerprintOf(body)}`
  return client.body(`ACTIVITY_TYPE_${type}_ACTIVITY`, acme.organizationId, { fingerprint })
}

async function outcomeOf({ client }: Fixture, body: string, { key }: { key: TestKey }) {
  const answer = await client.send(body, key)
  if (answer.is !== "outcome") throw new Error(`no outcome: ${JSON.stringify(answer)}`)
  return answer.outcome
}

t.test("A5: only votes in the ledger complete an activity that policies left pending", async (t) => {
  const fixture = await setupMembers(t)
  const { boundary, client, dan, eva, fay } = fixture
  await allow(fixture, { consensus: bothOf(dan, eva) })
  const body = request(fixture)
  const approval = voteOn(fixture, "APPROVE", body)
  const early = stampWith(eva.key, approval)
  await refused(
    t,
    fixture,
    "ACTIVITY_UNKNOWN",
    () => client.offer(approval, early),
    "before what it is about",
  )
  const opened = await outcomeOf(fixture, body, dan)
  t.match(opened, { status: CONSENSUS_NEEDED, decision: { voterIds: [eva.userId] } })
  t.match(opened.decision?.policyOutcomes, [{ outcome: Outcome.REQUIRES_CONSENSUS }])
  for (const vote of [approval, body, voteOn(fixture, "REJECT", body)]) {
    const attack = () => client.offer(vote, stampWith(fay.key, vote))
    await refused(t, fixture, "VOTE_NOT_COUNTED", attack, "of who is not counted")
  }
  const forged = stampWith({ ...fay.key, publicKeyHex: eva.key.publicKeyHex }, approval)
  await refused(t, fixture, "STAMP_INVALID", () => client.offer(approval, forged), "by another key")
  const repeated = voteOn(fixture, "APPROVE", body)
  await refused(
    t,
    fixture,
    "VOTE_REPEATED",
    () => client.offer(repeated, stampWith(dan.key, repeated)),
    "twice",
  )
  await boundary.restart()
  const done = await outcomeOf(fixture, approval, eva)
  t.match(done, { status: COMPLETED, decision: { voterIds: [] } })
  t.match(done.decision?.policyOutcomes, [{ outcome: Outcome.ALLOW }])
  t.ok(valueOf(done, "signRawPayloadResult").r)
})

t.test("A5: a user's vote for one activity does not count for another", async (t) => {
  const fixture = await setupMembers(t)
  const { client, dan, eva } = fixture
  await allow(fixture, { consensus: bothOf(dan, eva) })
  const [one, two] = [request(fixture, "11".repeat(32)), request(fixture, "22".repeat(32))]
  for (const body of [one, two]) await outcomeOf(fixture, body, dan)
  const vote = voteOn(fixture, "APPROVE", one)
  const xStamp = stampWith(eva.key, vote)
  const moved = vote.replace(fingerprintOf(one), fingerprintOf(two))
  await refused(t, fixture, "STAMP_INVALID", () => client.offer(moved, xStamp))
  t.match(await outcomeOf(fixture, vote, eva), { status: COMPLETED })
  const other = await client.tenant("Other")
  const abroad = client.body("ACTIVITY_TYPE_APPROVE_ACTIVITY", other.organizationId, {
    fingerprint: `sha256:${fingerprintOf(two)}`,
  })
  await refused(t, fixture, "CREDENTIAL_UNKNOWN", () => client.offer(abroad, stampWith(eva.key, abroad)))
})

t.test("A5: the order in which two approve makes no difference", async (t) => {
  const fixture = await setupMembers(t)
  const { dan, eva } = fixture
  await allow(fixture, { consensus: bothOf(dan, eva) })
  for (const [first, second] of [[dan, eva] as const, [eva, dan] as const]) {
    const body = request(fixture)
    t.match(await outcomeOf(fixture, body, first), { status: CONSENSUS_NEEDED })
    t.match(await outcomeOf(fixture, body, second), { status: COMPLETED }, "the identical body is a vote")
  }
})

t.test("A5: approvals from before a policy change are evaluated against the current policy", async (t) => {
  const fixture = await setupMembers(t)
  const { client, dan, eva, fay } = fixture
  const policyId = await allow(fixture, { consensus: bothOf(dan, eva) })
  const [one, two, three] = ["11", "22", "33"].map((byte) => request(fixture, byte.repeat(32))) as [
    string,
    string,
    string,
  ]
  for (const body of [one, two, three]) await outcomeOf(fixture, body, dan)

  const all = `${bothOf(dan, eva)} && approvers.any(u, u.id == '${fay.userId}')`
  await asRoot(fixture).submit("UPDATE_POLICY_V2", { policyId, policyConsensus: all })
  const waiting = await outcomeOf(fixture, voteOn(fixture, "APPROVE", one), eva)
  t.match(
    waiting,
    { status: CONSENSUS_NEEDED, decision: { voterIds: [fay.userId] } },
    "one more is asked for",
  )
  t.match(await outcomeOf(fixture, voteOn(fixture, "APPROVE", one), fay), { status: COMPLETED })

  const denyId = await deny(fixture, { condition: "activity.action == 'SIGN'" })
  await outcomeOf(fixture, voteOn(fixture, "APPROVE", two), eva)
  const denied = await outcomeOf(fixture, voteOn(fixture, "APPROVE", two), fay)
  t.match(denied, { status: CONSENSUS_NEEDED }, "a DENY made meanwhile stands against it")
  t.same(
    denied.decision?.policyOutcomes.map(({ outcome }) => outcome),
    [Outcome.ALLOW, Outcome.DENY_EXPLICIT],
  )
  t.match(await outcomeOf(fixture, voteOn(fixture, "APPROVE", two), { key: fixture.acme.root }), {
    status: COMPLETED,
  })

  await asRoot(fixture).submit("DELETE_POLICIES", { policyIds: [policyId, denyId] })
  const vote = voteOn(fixture, "APPROVE", three)
  const attack = () => client.offer(vote, stampWith(eva.key, vote))
  await refused(t, fixture, "VOTE_NOT_COUNTED", attack, "no policy counts it any more")
  await allow(fixture, { consensus: bothOf(dan, eva) })
  t.match(await outcomeOf(fixture, vote, eva), { status: COMPLETED }, "one does again")
})

t.test("A5: a user who lost a tag no longer counts as a holder of that tag", async (t) => {
  const fixture = await setupMembers(t)
  const { client, dan, eva } = fixture
  const made = await asRoot(fixture).submit("CREATE_USER_TAG", {
    userTagName: "admin",
    userIds: [eva.userId],
  })
  const { userTagId } = valueOf(made, "createUserTagResult")
  const admin = `approvers.any(u, u.tags.contains('${userTagId}'))`
  await allow(fixture, { consensus: `approvers.any(u, u.id == '${dan.userId}') && ${admin}` })
  const body = request(fixture)
  t.match(await outcomeOf(fixture, body, dan), { decision: { voterIds: [eva.userId] } })
  await asRoot(fixture).submit("UPDATE_USER_TAG", { userTagId, addUserIds: [], removeUserIds: [eva.userId] })
  const vote = voteOn(fixture, "APPROVE", body)
  await refused(t, fixture, "VOTE_NOT_COUNTED", () => client.offer(vote, stampWith(eva.key, vote)))
})

t.test("A5: an activity that an eligible voter rejected never runs", async (t) => {
  const fixture = await setupMembers(t)
  const { boundary, client, acme, dan, eva } = fixture
  await allow(fixture, { consensus: bothOf(dan, eva) })
  const body = request(fixture)
  await outcomeOf(fixture, body, dan)
  const approval = voteOn(fixture, "APPROVE", body)
  t.match(await outcomeOf(fixture, voteOn(fixture, "REJECT", body), eva), { status: REJECTED })
  await client.acknowledge(acme.organizationId, fingerprintOf(body), dan.key.publicKeyHex)
  await allow(fixture)
  for (const when of ["at once", "after a restart"]) {
    await refused(
      t,
      fixture,
      "ACTIVITY_FINAL",
      () => client.offer(approval, stampWith(eva.key, approval)),
      when,
    )
    for (const { key } of [dan, eva, { key: acme.root }])
      await refused(t, fixture, "ACTIVITY_REPLAYED", () => client.offer(body, stampWith(key, body)), when)
    await boundary.restart()
  }
})

t.test("A1: a policy is neither dropped from the document nor put into it", async (t) => {
  const fixture = await setupMembers(t)
  const { boundary, client, acme, dan } = fixture
  const { organizationId } = acme
  const before = client.documents.get(organizationId)!
  await allow(fixture)
  const between = client.documents.get(organizationId)!
  await deny(fixture)
  const { document, signature } = fromBinary(NotarizedDocumentSchema, client.documents.get(organizationId)!)
  const parts = fromBinary(OrganizationDocumentSchema, document)
  const edited = (policies: typeof parts.policies) => {
    const bytes = toBinary(OrganizationDocumentSchema, { ...parts, policies })
    return toBinary(NotarizedDocumentSchema, create(NotarizedDocumentSchema, { document: bytes, signature }))
  }
  const body = request(fixture)
  const xStamp = stampWith(dan.key, body)
  await boundary.restart()
  const show = (shown: Uint8Array) => () => client.order(body, xStamp, { document: shown })
  await refused(t, fixture, "DOCUMENT_FORGED", show(edited(parts.policies.slice(0, 1))), "without the DENY")
  await refused(t, fixture, "DOCUMENT_FORGED", show(edited([])), "without any")
  const [first, second] = parts.policies as [(typeof parts.policies)[0], (typeof parts.policies)[0]]
  await refused(
    t,
    fixture,
    "DOCUMENT_FORGED",
    show(edited([first, { ...second, condition: "false" }])),
    "rewritten",
  )
  for (const older of [before, between])
    await refused(t, fixture, "DOCUMENT_ROLLED_BACK", show(older), "older")
  t.match(await client.order(body, xStamp), { is: "needed" }, "left out it is asked for")
  await refused(t, fixture, "PERMISSION_DENIED", show(client.documents.get(organizationId)!), "as it is")
})

t.test("A5: a request that leaves out any value that a DENY policy reads is refused", async (t) => {
  const fixture = await setupMembers(t)
  const { boundary, client, acme, dan, walletId, address } = fixture
  const { organizationId } = acme
  const account = await asRoot(fixture).submit("CREATE_WALLET_ACCOUNTS", {
    walletId,
    accounts: [ethereumAccount(7)],
  })
  const [leaving] = valueOf(account, "createWalletAccountsResult").addresses
  const privateKeys = [
    {
      privateKeyName: "spare",
      curve: "CURVE_SECP256K1",
      addressFormats: ["ADDRESS_FORMAT_ETHEREUM"],
      privateKeyTags: [],
    },
  ]
  const made = await asRoot(fixture).submit("CREATE_PRIVATE_KEYS_V2", { privateKeys })
  const { privateKeyId = "" } = valueOf(made, "createPrivateKeysResultV2").privateKeys[0] ?? {}
  const tagged = await asRoot(fixture).submit("CREATE_PRIVATE_KEY_TAG", {
    privateKeyTagName: "cold",
    privateKeyIds: [privateKeyId],
  })
  const { privateKeyTagId } = valueOf(tagged, "createPrivateKeyTagResult")
  const typed = {
    signWith: address,
    encoding: "PAYLOAD_ENCODING_EIP712",
    hashFunction: "HASH_FUNCTION_NO_OP",
    payload: JSON.stringify({
      types: { Pay: [{ name: "amount", type: "uint256" }] },
      primaryType: "Pay",
      domain: { chainId: 1 },
      message: { amount: 5 },
    }),
  }
  const authorization = {
    ...typed,
    encoding: "PAYLOAD_ENCODING_EIP7702_AUTHORIZATION",
    payload: JSON.stringify({ address: `0x${"ab".repeat(20)}`, chainId: 1, nonce: 7 }),
  }
  const targetPublicKey = `04${"11".repeat(64)}`
  const sign = { type: "SIGN_RAW_PAYLOAD_V2", parameters: signParams(address) }
  const signWithKey = { type: "SIGN_RAW_PAYLOAD_V2", parameters: signParams(privateKeyId) }
  const attacks = [
    ["wallet.id", `wallet.id == '${walletId}'`, sign],
    ["wallet.label", "wallet.label == 'First'", sign],
    ["wallet.imported", "!wallet.imported", sign],
    [
      "wallet.exported",
      "!wallet.exported",
      { type: "EXPORT_WALLET", parameters: { walletId, targetPublicKey } },
    ],
    ["wallet_account.address", `wallet_account.address == '${address}'`, sign],
    [
      "wallet_account.path_indexes",
      "wallet_account.path_indexes[4] == 7",
      { type: "EXPORT_WALLET_ACCOUNT", parameters: { address: leaving, targetPublicKey } },
    ],
    [
      "wallet_account.path_hardened",
      "!wallet_account.path_hardened[4]",
      { type: "EXPORT_WALLET_ACCOUNT", parameters: { address: leaving, targetPublicKey } },
    ],
    ["private_key.id", `private_key.id == '${privateKeyId}'`, signWithKey],
    ["private_key.label", "private_key.label == 'spare'", signWithKey],
    ["private_key.tags", `private_key.tags.contains('${privateKeyTagId}')`, signWithKey],
    [
      "private_key of an export",
      "!private_key.exported",
      { type: "EXPORT_PRIVATE_KEY", parameters: { privateKeyId, targetPublicKey } },
    ],
    [
      "wallets",
      "wallets.any(w, w.label == 'First')",
      { type: "DELETE_WALLETS", parameters: { walletIds: [walletId], deleteWithoutExport: true } },
    ],
    [
      "activity.params",
      `'${dan.userId}' in activity.params.user_ids`,
      { type: "DELETE_USERS", parameters: { userIds: [dan.userId.toUpperCase()] } },
    ],
    ["eth.eip_712", "eth.eip_712.message['amount'] == 5", { type: "SIGN_RAW_PAYLOAD_V2", parameters: typed }],
    [
      "eth.eip_7702_authorization",
      "eth.eip_7702_authorization.nonce == 7",
      { type: "SIGN_RAW_PAYLOAD_V2", parameters: authorization },
    ],
    ["approvers", "", sign],
  ] as const
  await allow(fixture)
  for (const [what, condition, { type, parameters }] of attacks) {
    const consensus = what === "approvers" ? `approvers.any(u, u.id == '${dan.userId}')` : ""
    const policyId = await deny(fixture, { ...(condition && { condition }), ...(consensus && { consensus }) })
    const document = client.documents.get(organizationId)!
    const body = client.body(`ACTIVITY_TYPE_${type}`, organizationId, parameters)
    const xStamp = stampWith(dan.key, body)
    // In its memory the signer has nothing of what it was shown before.
    await boundary.restart()
    const stranger = [...client.records.values()].slice(0, 1)
    for (const [records, how] of [
      [[], "nothing"],
      [stranger, "another record"],
    ] as const) {
      const attack = () => client.order(body, xStamp, { document, records: [...records] })
      await refused(t, fixture, "PERMISSION_DENIED", attack, `${what}, shown ${how}`)
    }
    await asRoot(fixture).submit("DELETE_POLICY", { policyId })
  }
})

t.test("A5: a record that a policy reads and the API tier withholds is refused, never skipped", async (t) => {
  const fixture = await setupMembers(t)
  const { client, acme, dan } = fixture
  await allow(fixture)
  await deny(fixture, { condition: "wallet.label == 'First' || private_key.label == 'First'" })
  const [nowhere, targetPublicKey] = [`0x${"ab".repeat(20)}`, `04${"11".repeat(64)}`]
  const attempts = [
    ["SIGN_RAW_PAYLOAD_V2", signParams(nowhere), "SIGN_WITH_UNKNOWN"],
    ["EXPORT_WALLET", { walletId: acme.organizationId, targetPublicKey }, "RESOURCE_UNKNOWN"],
    ["EXPORT_WALLET_ACCOUNT", { address: nowhere, targetPublicKey }, "RESOURCE_UNKNOWN"],
    ["EXPORT_PRIVATE_KEY", { privateKeyId: acme.organizationId, targetPublicKey }, "RESOURCE_UNKNOWN"],
  ] as const
  for (const [type, parameters, code] of attempts) {
    const body = client.body(`ACTIVITY_TYPE_${type}`, acme.organizationId, parameters)
    await refused(t, fixture, code, () => client.offer(body, stampWith(dan.key, body)), type)
  }
})

t.test("A5: strict, a DENY is not passed by sending a number as text", async (t) => {
  const fixture = await setupMembers(t)
  const { client, acme, dan, address } = fixture
  await allow(fixture)
  await deny(fixture, { condition: "eth.eip_712.message['amount'] > 1000" })
  const pay = (amount: number | string) => {
    const payload = JSON.stringify({
      types: { Pay: [{ name: "amount", type: "uint256" }] },
      primaryType: "Pay",
      domain: {},
      message: { amount },
    })
    const parameters = { ...signParams(address), encoding: "PAYLOAD_ENCODING_EIP712", payload }
    return client.body("ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2", acme.organizationId, parameters)
  }
  const offer = (body: string) => () => client.offer(body, stampWith(dan.key, body))
  await refused(t, fixture, "PERMISSION_DENIED", offer(pay(5000)), "as a number")
  t.match(await client.send(pay("5000"), dan.key), { is: "outcome" }, "as published: passed over")
  await asRoot(fixture).submit("SET_ORGANIZATION_FEATURE", { name: "FEATURE_NAME_STRICT_DENY", value: "" })
  await refused(t, fixture, "PERMISSION_DENIED", offer(pay("5000")), "as text")
  t.match(await client.send(pay(5), dan.key), { is: "outcome" })
  t.match(
    await client.send(request(fixture), dan.key),
    { is: "outcome" },
    "what has no message is not concerned",
  )
})

t.test(
  "A3: a policy reads the wallet's current state, also when the API tier supplies an older record",
  async (t) => {
    const fixture = await setupMembers(t)
    const { client, acme, dan, walletId } = fixture
    await allow(fixture, { condition: "wallet.label == 'First'" })
    const offer = (body: string) => () => client.offer(body, stampWith(dan.key, body))
    t.match(await client.send(request(fixture), dan.key), { is: "outcome" })
    const older = client.records.get(walletId)!
    await asRoot(fixture).submit("UPDATE_WALLET", { walletId, walletName: "Second" })
    await refused(t, fixture, "PERMISSION_DENIED", offer(request(fixture)), "renamed")
    const body = request(fixture)
    const shown = { document: client.documents.get(acme.organizationId)!, records: [older] }
    const attack = () => client.order(body, stampWith(dan.key, body), shown)
    await refused(t, fixture, "PERMISSION_DENIED", attack, "with the record as it was")
    await asRoot(fixture).submit("UPDATE_WALLET", { walletId, walletName: "First" })
    t.match(await client.send(request(fixture), dan.key), { is: "outcome" })
    await asRoot(fixture).submit("DELETE_WALLETS", { walletIds: [walletId], deleteWithoutExport: true })
    await refused(t, fixture, "SIGN_WITH_UNKNOWN", offer(request(fixture)), "deleted")
  },
)
