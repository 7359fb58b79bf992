import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import t from "tap"
import { apiKey, outcomeOf, signParams, valueOf } from "../harness/api-client.ts"
import { fingerprintOf, newKey, stampWith, type TestKey } from "../harness/stamper.ts"
import { child } from "../harness/sub-organization.ts"
import { refused, type Fixture, setup } from "./setup.ts"

const LOGIN = "ACTIVITY_TYPE_STAMP_LOGIN"

/** A login with `key` that names the parent, for a session key made for it. */
function loginAtParent({ client, acme }: Fixture, key: TestKey) {
  const session = newKey()
  const body = client.body(LOGIN, acme.organizationId, { publicKey: session.publicKeyHex })
  return {
    body,
    session,
    offer: () => client.offer(body, stampWith(key, body)),
    send: () => client.send(body, key),
  }
}

t.test(
  "a login that names only the parent opens a session in the one sub-organization that holds the key",
  async (t) => {
    const fixture = await setup(t)
    const { client, acme, boundary } = fixture
    const one = await child(client, acme)
    await child(client, acme)
    await boundary.restart()
    const { send, session } = loginAtParent(fixture, one.root)
    const outcome = outcomeOf(await send())
    t.equal(outcome.organizationId, one.organizationId, "the activity is the sub-organization's")
    const token = valueOf(outcome, "stampLoginResult").session
    const claims = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64").toString())
    t.match(claims, { organization_id: one.organizationId, user_id: one.rootUserId })
    const signed = client.body(
      "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2",
      one.organizationId,
      signParams(one.address),
    )
    t.match(await client.send(signed, session), { is: "outcome" })

    const parents = outcomeOf(await loginAtParent(fixture, acme.root).send())
    t.equal(parents.organizationId, acme.organizationId, "who belongs to the parent logs in there")
    const stranger = loginAtParent(fixture, newKey())
    await refused(t, fixture, "CREDENTIAL_UNKNOWN", stranger.offer)
  },
)

t.test(
  "A8: a login with a key of two sub-organizations goes to the first, or where a login that named it has proven the key",
  async (t) => {
    const fixture = await setup(t)
    const { client, acme } = fixture
    const key = newKey()
    const homeOf = async () => outcomeOf(await loginAtParent(fixture, key).send()).organizationId
    const first = await child(client, acme, { key })
    const second = await child(client, acme, { key })
    for (const _ of [1, 2]) t.equal(await homeOf(), first.organizationId, "such a login proves nothing")

    const name = (organizationId: string) =>
      client.submit(key, LOGIN, organizationId, { publicKey: newKey().publicKeyHex })
    await name(second.organizationId)
    t.equal(await homeOf(), second.organizationId)
    await child(client, acme, { key })
    t.equal(await homeOf(), second.organizationId)

    await name(first.organizationId)
    await refused(t, fixture, "CREDENTIAL_CONFLICT", loginAtParent(fixture, key).offer, "proven in both")
  },
)

t.test("A4: one body never logs in to two sub-organizations", async (t) => {
  const fixture = await setup(t)
  const { client, acme, boundary } = fixture
  const key = newKey()
  const first = await child(client, acme, { key })
  const { body, offer, send } = loginAtParent(fixture, key)
  t.equal(outcomeOf(await send()).organizationId, first.organizationId)
  await client.acknowledge(acme.organizationId, fingerprintOf(body), key.publicKeyHex)
  await refused(t, fixture, "ACTIVITY_REPLAYED", offer)

  const deletion = { deleteWithoutExport: true }
  await client.submit(key, "ACTIVITY_TYPE_DELETE_SUB_ORGANIZATION", first.organizationId, deletion)
  await refused(t, fixture, "CREDENTIAL_UNKNOWN", offer, "no user holds the key")
  await child(client, acme, { key })
  await refused(t, fixture, "ACTIVITY_REPLAYED", offer, "another holds it now")
  await boundary.restart()
  await refused(t, fixture, "ACTIVITY_REPLAYED", offer, "after a restart")

  const users = [
    { userName: "late", apiKeys: [apiKey(key)], authenticators: [], oauthProviders: [], userTags: [] },
  ]
  await client.submit(acme.root, "ACTIVITY_TYPE_CREATE_USERS_V3", acme.organizationId, { users })
  await refused(t, fixture, "CREDENTIAL_NEWER_THAN_REQUEST", offer, "the parent itself holds it too")
})

t.test(
  "A8: documents that the API tier supplies or withholds do not select the login's organization",
  async (t) => {
    const fixture = await setup(t)
    const { client, acme, boundary } = fixture
    const key = newKey()
    const mine = await child(client, acme, { key })
    const other = await child(client, acme)
    await boundary.restart()
    const { body } = loginAtParent(fixture, key)
    const xStamp = stampWith(key, body)
    const [parent, wrong] = [acme, other].map(({ organizationId }) => client.documents.get(organizationId)!)
    const shown = await client.order(body, xStamp, { documents: [parent!, wrong!] })
    t.match(shown, { is: "needed", needed: { documents: [{ organizationId: mine.organizationId }] } })
    const right = { documents: [parent!, client.documents.get(mine.organizationId)!] }
    t.match(await client.order(body, xStamp, right), { is: "outcome" })
  },
)

t.test("A3: an identity row deleted or altered in the ledger is refused", async (t) => {
  const edits = [
    "DELETE FROM entry WHERE kind = 'identity'",
    "UPDATE entry SET value = zeroblob(80) WHERE kind = 'identity'",
  ]
  for (const edit of edits) {
    const fixture = await setup(t)
    const { client, acme, boundary } = fixture
    const key = newKey()
    await child(client, acme, { key })
    await boundary.signer.close()
    const tables = new DatabaseSync(join(boundary.directory, "signer", "ledger", "ledger.sqlite"))
    tables.exec(edit)
    tables.close()
    await boundary.restart()
    t.match(await loginAtParent(fixture, key).offer(), { is: "refused", code: "LEDGER_DAMAGED" }, edit)
  }
})

t.test(
  "A8: removing a key removes its owner and its verified login from the identity register",
  async (t) => {
    const fixture = await setup(t)
    const { client, acme } = fixture
    const key = newKey()
    const mine = await child(client, acme)
    const { organizationId, root, rootUserId: userId } = mine
    const give = () =>
      client.submit(root, "ACTIVITY_TYPE_CREATE_API_KEYS_V2", organizationId, {
        userId,
        apiKeys: [apiKey(key)],
      })
    const [apiKeyId] = valueOf(await give(), "createApiKeysResult").apiKeyIds
    await client.submit(key, LOGIN, organizationId, { publicKey: newKey().publicKeyHex })
    outcomeOf(await loginAtParent(fixture, key).send())
    await client.submit(root, "ACTIVITY_TYPE_DELETE_API_KEYS", organizationId, {
      userId,
      apiKeyIds: [apiKeyId],
    })
    await refused(t, fixture, "CREDENTIAL_UNKNOWN", loginAtParent(fixture, key).offer)
    await give()
    await refused(
      t,
      fixture,
      "LOGIN_UNPROVEN",
      loginAtParent(fixture, key).offer,
      "given again, it is unproven",
    )
  },
)
