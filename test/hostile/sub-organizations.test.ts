import t from "tap"
import { fromBinary } from "@bufbuild/protobuf"
import { ActivityStatus, FeatureName } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import {
  NotarizedDocumentSchema,
  OrganizationDocumentSchema,
} from "../../proto/gen/countersign/state/v1/document_pb.ts"
import { apiKey, keptOutcome, outcomeOf, signParams, valueOf } from "../harness/api-client.ts"
import { fingerprintOf, newKey, stampWith } from "../harness/stamper.ts"
import { child, subOrganization } from "../harness/sub-organization.ts"
import { quorumOfThree } from "./quorum.ts"
import { refused, setup } from "./setup.ts"

const CREATE = "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7"
const SIGN = "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2"
const read = (notarized: Uint8Array) =>
  fromBinary(OrganizationDocumentSchema, fromBinary(NotarizedDocumentSchema, notarized).document)

t.test("a new sub-organization has its users, features and wallet, and signs at once", async (t) => {
  const { client, acme } = await setup(t)
  const before = client.documents.get(acme.organizationId)
  const customer = await child(client, acme, { disableSmsAuth: true })
  const document = read(client.documents.get(customer.organizationId)!)
  t.match(document, { parentId: acme.organizationId, name: "Customer", version: 1n })
  t.match(document.rootQuorum, { threshold: 1, userIds: [customer.rootUserId] })
  t.same(
    document.features.map(({ name }) => name),
    [FeatureName.EMAIL_RECOVERY, FeatureName.EMAIL_AUTH, FeatureName.OTP_EMAIL_AUTH],
    "ways to log in are on but for the one switched off",
  )
  t.equal(document.users[0]?.emailVerified, false)
  t.equal(client.documents.get(acme.organizationId), before, "the parent stays as it was")
  const { organizationId, root, address } = customer
  const signed = await client.submit(root, SIGN, organizationId, signParams(address))
  t.equal(valueOf(signed, "signRawPayloadResult").r.length, 64)
})

t.test("A8: a parent reads its sub-organizations and never changes them", async (t) => {
  const fixture = await setup(t)
  const { client, acme, boundary } = fixture
  const customer = await child(client, acme)
  const orders = [
    client.body(SIGN, customer.organizationId, signParams(customer.address)),
    client.body("ACTIVITY_TYPE_CREATE_USERS_V3", customer.organizationId, {
      users: [
        {
          userName: "spy",
          apiKeys: [apiKey(newKey())],
          authenticators: [],
          oauthProviders: [],
          userTags: [],
        },
      ],
    }),
    client.body("ACTIVITY_TYPE_UPDATE_ROOT_QUORUM", customer.organizationId, {
      threshold: 1,
      userIds: [acme.rootUserId],
    }),
  ]
  for (const body of orders) {
    const xStamp = stampWith(acme.root, body)
    await refused(t, fixture, "ORGANIZATION_MISMATCH", () => client.offer(body, xStamp))
  }
  await boundary.restart()
  const [body = ""] = orders
  const parentHidden = { documents: [client.documents.get(customer.organizationId)!] }
  const hidden = await client.order(body, stampWith(acme.root, body), parentHidden)
  t.match(hidden, { is: "needed", needed: { documents: [{ organizationId: acme.organizationId }] } })
  const asStranger = () => client.offer(body, stampWith(newKey(), body))
  await refused(t, fixture, "CREDENTIAL_UNKNOWN", asStranger, "who belongs to neither")
})

t.test("A8: a sub-organization reaches neither its parent nor its siblings", async (t) => {
  const fixture = await setup(t)
  const { client, acme } = fixture
  const one = await child(client, acme)
  const other = await child(client, acme)
  for (const { organizationId, address } of [{ ...acme, address: fixture.address }, other]) {
    const body = client.body(SIGN, organizationId, signParams(address))
    await refused(t, fixture, "CREDENTIAL_UNKNOWN", () => client.offer(body, stampWith(one.root, body)))
  }
  const foreign = client.body(SIGN, one.organizationId, signParams(other.address))
  await refused(t, fixture, "SIGN_WITH_UNKNOWN", () => client.offer(foreign, stampWith(one.root, foreign)))
})

t.test("sub-organizations do not nest", async (t) => {
  const fixture = await setup(t)
  const customer = await child(fixture.client, fixture.acme)
  const parameters = subOrganization([{ name: "root", key: newKey() }])
  const body = fixture.client.body(CREATE, customer.organizationId, parameters)
  const attempt = () => fixture.client.offer(body, stampWith(customer.root, body))
  await refused(t, fixture, "ACTIVITY_CALLER_INVALID", attempt)
})

t.test("a refused sub-organization leaves no rows", async (t) => {
  const fixture = await setup(t)
  const { client, acme } = fixture
  const key = newKey()
  const root = [{ name: "root", key }]
  const cases = [
    ["QUORUM_INVALID", subOrganization(root, { rootQuorumThreshold: 0 })],
    ["QUORUM_INVALID", subOrganization(root, { rootQuorumThreshold: 2 })],
    ["CREDENTIAL_TAKEN", subOrganization([...root, { name: "twin", key }])],
    ["NAME_TAKEN", subOrganization([...root, { name: "root", key: newKey() }])],
    ["VERIFICATION_TOKEN_INVALID", subOrganization(root, { verificationToken: "a.b.c" })],
    [
      "REQUEST_INVALID",
      subOrganization(root, {
        clientSignature: {
          publicKey: key.publicKeyHex,
          scheme: "CLIENT_SIGNATURE_SCHEME_API_P256",
          message: "m",
          signature: "00",
        },
      }),
    ],
    [
      "MNEMONIC_LENGTH_INVALID",
      subOrganization(root, { wallet: { walletName: "w", accounts: [], mnemonicLength: 13 } }),
    ],
    ["REQUEST_INVALID", subOrganization([])],
    [
      "REQUEST_INVALID",
      {
        ...subOrganization(root),
        rootUsers: [{ ...subOrganization(root).rootUsers[0], userEmail: "nobody" }],
      },
    ],
    [
      "REQUEST_INVALID",
      {
        ...subOrganization(root),
        rootUsers: [{ ...subOrganization(root).rootUsers[0], userPhoneNumber: "0049" }],
      },
    ],
  ] as const
  for (const [code, parameters] of cases) {
    const body = client.body(CREATE, acme.organizationId, parameters)
    await refused(t, fixture, code, () => client.offer(body, stampWith(acme.root, body)))
  }
})

t.test("A4: outcomes lost in a crash are recovered, with the organizations that they created", async (t) => {
  const { client, acme, boundary } = await setup(t)
  const body = client.body(CREATE, acme.organizationId, subOrganization([{ name: "root", key: newKey() }]))
  const first = outcomeOf(await client.offer(body, stampWith(acme.root, body)))
  await boundary.restart()
  const { outcomes } = await boundary.recover(acme.organizationId)
  const recovered = outcomes.at(-1)?.outcome
  t.same(recovered?.createdOrganizations, keptOutcome(first).createdOrganizations)
  t.equal(recovered?.createdOrganizations.length, 1)
  t.equal(recovered?.createdOrganizations[0]?.records.length, 3, "a wallet and two accounts")
})

t.test("a root quorum of several users creates a sub-organization together", async (t) => {
  const fixture = await quorumOfThree(t)
  const { client, propose, approve, alice, bob } = fixture
  const parameters = subOrganization([{ name: "root", key: newKey() }])
  const { fingerprint } = await propose("CREATE_SUB_ORGANIZATION_V7", parameters)
  await approve(alice, fingerprint)
  const outcome = await approve(bob, fingerprint)
  t.equal(outcome.status, ActivityStatus.COMPLETED)
  const { subOrganizationId } = valueOf(outcome, "createSubOrganizationResultV7")
  t.equal(outcome.createdOrganizations[0]?.organizationId, subOrganizationId)
  t.ok(client.documents.has(subOrganizationId), "and an API tier stores it")
})

t.test("sub-organizations are created concurrently, each body once", async (t) => {
  const { client, acme } = await setup(t)
  const bodies = Array.from({ length: 20 }, () =>
    client.body(CREATE, acme.organizationId, subOrganization([{ name: "root", key: newKey() }])),
  )
  const outcomes = await Promise.all([...bodies, ...bodies].map((body) => client.send(body, acme.root)))
  const ids = outcomes.map((answer) => outcomeOf(answer).createdOrganizations[0]?.organizationId)
  t.equal(new Set(ids).size, 20)
  t.same(ids.slice(0, 20), ids.slice(20))
})

t.test(
  "A4: a body that created a sub-organization creates no second one, with votes or without",
  async (t) => {
    const fixture = await quorumOfThree(t)
    const { client, acme, boundary, alice, bob, approve } = fixture
    const { organizationId, root, rootUserId } = acme
    const found = () =>
      client.body(CREATE, organizationId, subOrganization([{ name: "root", key: newKey() }]))
    const voted = found()
    await client.send(voted, root)
    await approve(alice, fingerprintOf(voted))
    t.equal((await approve(bob, fingerprintOf(voted))).createdOrganizations.length, 1)
    await client.acknowledge(organizationId, fingerprintOf(voted), root.publicKeyHex)
    const again = (body: string) => () => client.offer(body, stampWith(root, body))
    const late = fixture.approval(fingerprintOf(voted))
    await refused(t, fixture, "ACTIVITY_FINAL", () => client.offer(late, stampWith(alice.key, late)))

    const quorum = await fixture.propose("UPDATE_ROOT_QUORUM", { threshold: 1, userIds: [rootUserId] })
    await approve(alice, quorum.fingerprint)
    await approve(bob, quorum.fingerprint)
    await refused(t, fixture, "ACTIVITY_REPLAYED", again(voted), "one is enough now, and it has run")
    const atOnce = found()
    outcomeOf(await client.send(atOnce, root))
    await client.acknowledge(organizationId, fingerprintOf(atOnce), root.publicKeyHex)
    await refused(t, fixture, "ACTIVITY_REPLAYED", again(atOnce))
    await boundary.restart()
    await refused(t, fixture, "ACTIVITY_REPLAYED", again(voted))
    await refused(t, fixture, "ACTIVITY_REPLAYED", again(atOnce))
    await boundary.signer.purge()
    const rows = boundary.signer.state().ledger.rows(organizationId, "fingerprint")
    t.notOk(
      rows.some(({ key }) => key === fingerprintOf(atOnce)),
      "it stands beside the organization's own book",
    )
  },
)
