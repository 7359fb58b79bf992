import { fromBinary } from "@bufbuild/protobuf"
import t from "tap"
import { ActivityStatus } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import {
  NotarizedDocumentSchema,
  OrganizationDocumentSchema,
} from "../../proto/gen/countersign/state/v1/document_pb.ts"
import { type Answer, apiKey, ethereumAccount, signParams, userParams } from "../harness/api-client.ts"
import { fingerprintOf, newKey, stampWith } from "../harness/stamper.ts"
import { quorumOfThree } from "./quorum.ts"
import { ledgerDigest, type Fixture, setup } from "./setup.ts"

const WALLET = "ACTIVITY_TYPE_CREATE_WALLET"

t.test("A6: fifty identical bodies at once make one wallet", async (t) => {
  const fixture = await setup(t)
  const { boundary, client, acme } = fixture
  const parameters = { walletName: "One", accounts: [ethereumAccount(0)] }
  const body = client.body(WALLET, acme.organizationId, parameters)
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => client.offer(body, stampWith(acme.root, body))),
  )
  t.equal(new Set(answers.map(idOf)).size, 1, "one activity")
  t.ok(answers.every((answer) => answer.is === "outcome"))
  t.same(walletsIn(fixture), 2, "one wallet beside the one that was there")
  const before = ledgerDigest(fixture)
  await boundary.restart()
  t.equal(idOf(await client.offer(body, stampWith(acme.root, body))), idOf(answers[0]!))
  t.equal(ledgerDigest(fixture), before)
})

t.test("A6: fifty identical bodies at once, acknowledged in between, make one wallet", async (t) => {
  const fixture = await setup(t)
  const { client, acme } = fixture
  const body = client.body(WALLET, acme.organizationId, { walletName: "One", accounts: [] })
  const xStamp = stampWith(acme.root, body)
  const answers = await Promise.all(
    Array.from({ length: 50 }, async (_, index) => {
      const answer = await client.offer(body, xStamp)
      if (index % 10 === 0)
        await client.acknowledge(acme.organizationId, fingerprintOf(body), acme.root.publicKeyHex)
      return answer
    }),
  )
  const ids = new Set(answers.filter(({ is }) => is === "outcome").map(idOf))
  t.equal(ids.size, 1)
  const codes = new Set(answers.flatMap((answer) => (answer.is === "refused" ? [answer.code] : [])))
  t.ok([...codes].every((code) => code === "ACTIVITY_REPLAYED"))
  t.same(walletsIn(fixture), 2)
})

t.test("A6: identical proposals at once wait as one activity with one vote", async (t) => {
  const fixture = await quorumOfThree(t)
  const { boundary, client, acme, alice, bob } = fixture
  const body = client.body(WALLET, acme.organizationId, { walletName: "One", accounts: [] })
  const keys = [acme.root, alice.key, bob.key].flatMap((key) => Array.from({ length: 10 }, () => key))
  const answers = await Promise.all(keys.map((key) => client.offer(body, stampWith(key, body))))
  const done = answers.filter(
    (answer) => answer.is === "outcome" && answer.outcome.status === ActivityStatus.COMPLETED,
  )
  t.equal(new Set(answers.filter(({ is }) => is === "outcome").map(idOf)).size, 1, "one activity")
  t.equal(new Set(done.map((answer) => answer.is === "outcome" && answer.outcome.decision?.voteId)).size, 1)
  t.same(walletsIn(fixture), 2, "completed once")
  t.same(boundary.signer.state().ledger.rows(acme.organizationId, "pending"), [])
})

t.test("A6: concurrent changes of one organization are all kept, with consecutive versions", async (t) => {
  const fixture = await setup(t)
  const { boundary, client, acme } = fixture
  const { organizationId, root, rootUserId } = acme
  const names = Array.from({ length: 8 }, (_, index) => `user ${index}`)
  const orders: Promise<Answer>[] = []
  for (const name of names) {
    const users = [userParams(name, newKey())]
    orders.push(sent(fixture, "ACTIVITY_TYPE_CREATE_USERS_V4", { users }))
    const apiKeys = [apiKey(newKey(), name)]
    orders.push(sent(fixture, "ACTIVITY_TYPE_CREATE_API_KEYS_V2", { userId: rootUserId, apiKeys }))
    orders.push(sent(fixture, WALLET, { walletName: name, accounts: [ethereumAccount(0)] }))
  }
  const answers = await Promise.all(orders)
  t.ok(answers.every(({ is }) => is === "outcome"))
  const versions = answers.flatMap((answer) =>
    answer.is === "outcome" && answer.outcome.document.length > 0
      ? [Number(read(answer.outcome.document).version)]
      : [],
  )
  t.same(
    versions.toSorted((a, b) => a - b),
    Array.from({ length: 16 }, (_, index) => index + 2),
    "no version is given twice",
  )
  await boundary.restart()
  const last = boundary.signer.state().ledger.row(organizationId, "archive-document", "")!
  const document = read(last)
  t.same(
    names.filter((name) => !document.users.some((user) => user.name === name)),
    [],
    "no user is lost",
  )
  t.equal(document.users[0]?.apiKeys.length, 9, "no key is lost")
  t.equal(walletsIn(fixture), 9, "no wallet is lost")
  const sign = client.body("ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2", organizationId, signParams(fixture.address))
  const context = { document: last, records: [...client.records.values()] }
  t.match(await client.order(sign, stampWith(root, sign), context), { is: "outcome" })
})

t.test("A6: concurrent activities that claim one name or key: one succeeds", async (t) => {
  const fixture = await setup(t)
  const key = newKey()
  const wallets = Array.from({ length: 10 }, () =>
    sent(fixture, WALLET, { walletName: "Same", accounts: [] }),
  )
  const users = Array.from({ length: 10 }, (_, index) =>
    sent(fixture, "ACTIVITY_TYPE_CREATE_USERS_V4", { users: [userParams(`user ${index}`, key)] }),
  )
  const accounts = Array.from({ length: 10 }, () =>
    sent(fixture, "ACTIVITY_TYPE_CREATE_WALLET_ACCOUNTS", {
      walletId: fixture.walletId,
      accounts: [ethereumAccount(5)],
    }),
  )
  t.same(await outcomesAndCodes(wallets), { outcomes: 1, codes: ["NAME_TAKEN"] })
  t.same(await outcomesAndCodes(users), { outcomes: 1, codes: ["CREDENTIAL_TAKEN"] })
  t.same(await outcomesAndCodes(accounts), { outcomes: 1, codes: ["ACCOUNT_TAKEN"] })
})

t.test("A6: of two organizations that claim one client secret at once, one has it", async (t) => {
  const fixture = await setup(t)
  const { client, fakeFetcher, acme } = fixture
  const tenants = [acme, await client.createOrganization("Thief")]
  const encryptedClientSecret = await fakeFetcher.sealClientSecret("top secret")
  const parameters = { provider: "OAUTH2_PROVIDER_X", clientId: "app", encryptedClientSecret }
  // Each order comes with the fetcher's statement, so that both reach the ledger before either is written.
  const orders = await Promise.all(
    tenants.map(async ({ organizationId, root }) => {
      const body = client.body("ACTIVITY_TYPE_CREATE_OAUTH2_CREDENTIAL", organizationId, parameters)
      const answer = await client.order(body, stampWith(root, body))
      const fetchOrders = answer.is === "needed" ? answer.needed.fetchOrders : []
      const fetched = await Promise.all(fetchOrders.map((order) => fakeFetcher.fetch(order)))
      t.equal(fetched.length, 1)
      return { body, xStamp: stampWith(root, body), fetched }
    }),
  )
  const claim = () => orders.map(({ body, xStamp, fetched }) => client.order(body, xStamp, { fetched }))
  t.same(await outcomesAndCodes(claim()), { outcomes: 1, codes: ["ORGANIZATION_BUSY"] })
  const again = { outcomes: 1, codes: ["CLIENT_SECRET_INVALID"] }
  t.same(await outcomesAndCodes(claim()), again, "the first outcome comes back, the other order is refused")
})

function sent({ client, acme }: Fixture, type: string, parameters: object): Promise<Answer> {
  const body = client.body(type, acme.organizationId, parameters)
  return client.offer(body, stampWith(acme.root, body))
}

async function outcomesAndCodes(orders: Promise<Answer>[]) {
  const answers = await Promise.all(orders)
  const codes = new Set(answers.flatMap((answer) => (answer.is === "refused" ? [answer.code] : [])))
  return { outcomes: answers.filter(({ is }) => is === "outcome").length, codes: [...codes] }
}

function idOf(answer: Answer): string | undefined {
  return answer.is === "outcome" ? answer.outcome.decision?.activityId : undefined
}

function walletsIn({ boundary, acme }: Fixture): number {
  const rows = boundary.signer.state().ledger.rows(acme.organizationId, "archive-record")
  return rows.filter(({ key }) => key.startsWith("1/")).length
}

function read(notarized: Uint8Array) {
  return fromBinary(OrganizationDocumentSchema, fromBinary(NotarizedDocumentSchema, notarized).document)
}
