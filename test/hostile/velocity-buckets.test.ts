// Velocity controls with votes, buckets of users and wallets, and what is deleted.
import t from "tap"
import { ActivityStatus } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import { ethereumAccount, outcomeOf, valueOf } from "../harness/api-client.ts"
import { fingerprintOf, newKey } from "../harness/stamper.ts"
import { subOrganization } from "../harness/sub-organization.ts"
import { aggregation, transfers, velocityControl } from "../harness/velocity.ts"
import { allow } from "./consensus-fixture.ts"
import { asRoot, exportOnce } from "./setup.ts"
import { counters, createControl, DAY_MS, limited, pay, payment, paymentBody } from "./velocity-fixture.ts"

const EXCEEDED = "VELOCITY_CONTROL_EXCEEDED"
const by = (groupBy: "user" | "wallet") =>
  transfers(undefined, { aggregation: aggregation({ groupBy: { [groupBy]: {} } }) })

t.test("V2: a payment that waits for votes counts when it runs, once, in the order of running", async (t) => {
  const fixture = await limited(t)
  const { client, acme, dan, eva, policyId } = fixture
  const root = asRoot(fixture)
  const consensus = "approvers.count() >= 2"
  await root.submit("UPDATE_POLICY_V2", { policyId, policyConsensus: consensus })
  const bodies = [paymentBody(fixture, "1"), paymentBody(fixture, "1")]
  for (const body of bodies) {
    const { status } = outcomeOf(await client.send(body, dan.key))
    t.equal(status, ActivityStatus.CONSENSUS_NEEDED, "each of them fits")
  }
  t.same(counters(fixture), [], "nothing is counted while it waits")
  const approve = (body: string) => {
    const fingerprint = `sha256:${fingerprintOf(body)}`
    return client.send(
      client.body("ACTIVITY_TYPE_APPROVE_ACTIVITY", acme.organizationId, { fingerprint }),
      eva.key,
    )
  }
  t.equal(outcomeOf(await approve(bodies[1]!)).status, ActivityStatus.COMPLETED, "the later one first")
  t.equal(counters(fixture).length, 1)
  t.match(
    await approve(bodies[0]!),
    { is: "refused", code: "VOTE_NOT_COUNTED" },
    "the earlier one no longer fits",
  )
  await fixture.boundary.pass(DAY_MS * 1.02)
  const later = await approve(bodies[0]!)
  t.equal(outcomeOf(later).status, ActivityStatus.CONSENSUS_NEEDED, "the submission lapsed meanwhile")
})

t.test("V2: the root quorum is not limited, and what it signs counts", async (t) => {
  const fixture = await limited(t)
  const { address } = fixture
  t.ok(await asRoot(fixture).submit("SIGN_TRANSACTION_V2", payment(address, "100")))
  t.equal(await pay(fixture, "0.1"), EXCEEDED)
})

t.test("V2: each user has a bucket, which a deleted user's is no longer", async (t) => {
  const fixture = await limited(t, by("user"))
  const { eva, dan, velocityControlId } = fixture
  t.equal(await pay(fixture, "1.5"), "signed")
  t.equal(await pay(fixture, "0.1"), EXCEEDED)
  t.equal(await pay({ ...fixture, dan: eva }, "1.5"), "signed", "eva's own")
  t.same(
    counters(fixture).toSorted(),
    [dan, eva].map(({ userId }) => `${velocityControlId}/${userId}`).toSorted(),
  )
  await asRoot(fixture).submit("DELETE_USERS", { userIds: [dan.userId] })
  t.same(counters(fixture), [`${velocityControlId}/${eva.userId}`])
})

t.test(
  "V2: each wallet has a bucket, all its accounts the same one, and a private key one of its own",
  async (t) => {
    const fixture = await limited(t, by("wallet"))
    const { client, acme, dan, walletId, velocityControlId } = fixture
    const root = asRoot(fixture)
    const accounts = await root.submit("CREATE_WALLET_ACCOUNTS", { walletId, accounts: [ethereumAccount(7)] })
    const [second = ""] = valueOf(accounts, "createWalletAccountsResult").addresses
    const privateKeys = [
      {
        privateKeyName: "Key",
        curve: "CURVE_SECP256K1",
        addressFormats: ["ADDRESS_FORMAT_ETHEREUM"],
        privateKeyTags: [],
      },
    ]
    const made = await root.submit("CREATE_PRIVATE_KEYS_V2", { privateKeys })
    const { privateKeyId, addresses } = valueOf(made, "createPrivateKeysResultV2").privateKeys[0]!
    const payFrom = async (signWith: string, ether: string) => {
      const body = client.body(
        "ACTIVITY_TYPE_SIGN_TRANSACTION_V2",
        acme.organizationId,
        payment(signWith, ether),
      )
      const answer = await client.send(body, dan.key)
      return answer.is === "refused" ? answer.code : answer.is
    }
    t.equal(await payFrom(fixture.address, "1.5"), "outcome")
    t.equal(await payFrom(second, "0.1"), EXCEEDED, "another account of the wallet")
    t.equal(await payFrom(privateKeyId, "1"), "outcome", "the key by its id")
    t.equal(await payFrom(addresses[0]!.address, "1"), EXCEEDED, "the key by its address")
    await exportOnce(fixture, walletId)
    await root.submit("DELETE_WALLETS", { walletIds: [walletId] })
    t.same(counters(fixture), [`${velocityControlId}/${privateKeyId}`])
    await root.submit("DELETE_PRIVATE_KEYS", { privateKeyIds: [privateKeyId], deleteWithoutExport: true })
    t.same(counters(fixture), [])
  },
)

t.test("V2: a counter is purged when nothing of it counts, and not before", async (t) => {
  const fixture = await limited(t)
  const { boundary } = fixture
  t.equal(await pay(fixture, "1"), "signed")
  const { ledger } = boundary.signer.state()
  await boundary.pass(DAY_MS)
  await ledger.purge(boundary.nowMs())
  t.equal(counters(fixture).length, 1)
  await boundary.pass(DAY_MS / 50)
  await ledger.purge(boundary.nowMs())
  t.same(counters(fixture), [])
})

t.test(
  "V2: created sub-organizations are counted one after another, and a deleted one has no counters",
  async (t) => {
    const activity = [{ activityType: "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7" }]
    const fixture = await limited(
      t,
      velocityControl({ identifier: "created", dataSource: { activityExecution: { filter: { activity } } } }),
    )
    const { client, acme, dan, boundary } = fixture
    const key = newKey()
    const create = async () => {
      const creation = subOrganization([{ name: "root", key }], { version: "v7" })
      const type = "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7"
      return client.send(client.body(type, acme.organizationId, creation), dan.key)
    }
    const answers = await Promise.all(Array.from({ length: 6 }, create))
    const made = answers.filter((answer) => answer.is === "outcome")
    t.equal(made.length, 3, "three of six at once")
    t.ok(
      answers.every(
        (answer) => answer.is === "outcome" || (answer.is === "refused" && answer.code === EXCEEDED),
      ),
    )
    const { subOrganizationId } = valueOf(outcomeOf(made[0]!), "createSubOrganizationResultV7")
    const control = velocityControl({ dataSource: { activityExecution: {} } })
    await client.submit(key, "ACTIVITY_TYPE_CREATE_VELOCITY_CONTROL", subOrganizationId, control)
    await client.submit(key, "ACTIVITY_TYPE_CREATE_USER_TAG", subOrganizationId, {
      userTagName: "a",
      userIds: [],
    })
    const { ledger } = boundary.signer.state()
    t.equal(ledger.rows(subOrganizationId, "velocity").length, 1, "every activity counts")
    const end = { deleteWithoutExport: true }
    await client.submit(key, "ACTIVITY_TYPE_DELETE_SUB_ORGANIZATION", subOrganizationId, end)
    t.same(ledger.rows(subOrganizationId, "velocity"), [])
  },
)

t.test("V2: votes by the same bodies at once complete no more sub-organizations than fit", async (t) => {
  const activity = [{ activityType: "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7" }]
  const dataSource = { activityExecution: { filter: { activity } } }
  const fixture = await limited(t, velocityControl({ identifier: "created", dataSource }))
  const { client, acme, dan, eva, policyId } = fixture
  const policyConsensus = "approvers.count() >= 2"
  await asRoot(fixture).submit("UPDATE_POLICY_V2", { policyId, policyConsensus })
  const bodies = Array.from({ length: 6 }, () => {
    const creation = subOrganization([{ name: "root", key: newKey() }], { version: "v7" })
    return client.body("ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7", acme.organizationId, creation)
  })
  for (const body of bodies)
    t.equal(outcomeOf(await client.send(body, dan.key)).status, ActivityStatus.CONSENSUS_NEEDED)
  const answers = await Promise.all(bodies.map((body) => client.send(body, eva.key)))
  const made = answers.filter(
    (answer) => answer.is === "outcome" && answer.outcome.status === ActivityStatus.COMPLETED,
  )
  t.equal(made.length, 3, "three of six at once")
})

t.test("V2: a DENY on an exceeded count, and other comparisons, limit as well", async (t) => {
  const identifier = "over"
  const over = aggregation({
    method: "VELOCITY_CONTROL_AGGREGATION_METHOD_COUNT",
    operator: "VELOCITY_CONTROL_AGGREGATION_OPERATOR_GREATER_THAN",
    threshold: "2",
    window: { infinite: {} },
  })
  const fixture = await limited(t)
  await createControl(fixture, transfers(undefined, { identifier, aggregation: over }))
  await asRoot(fixture).submit("CREATE_POLICY_V3", {
    policyName: "over",
    effect: "EFFECT_DENY",
    condition: "controls.over",
    notes: "",
  })
  await allow(fixture)
  t.same([await pay(fixture, "0.1"), await pay(fixture, "0.1")], ["signed", "signed"])
  t.equal(await pay(fixture, "0.1"), EXCEEDED)
  await fixture.boundary.pass(DAY_MS * 20)
  t.equal(await pay(fixture, "0.1"), EXCEEDED, "without end")
})

t.test("V2: a denial that other rules give is no excess of a control", async (t) => {
  const fixture = await limited(t)
  await asRoot(fixture).submit("CREATE_POLICY_V3", {
    policyName: "never",
    effect: "EFFECT_DENY",
    condition: "eth.tx.value > 0",
    notes: "",
  })
  t.equal(await pay(fixture, "9"), "PERMISSION_DENIED")
})
