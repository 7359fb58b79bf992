import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import t from "tap"
import { apiKey, outcomeOf, signParams, valueOf } from "../harness/api-seat.ts"
import { fingerprintOf, newKey, stampWith, type TestKey } from "../harness/stamper.ts"
import { child } from "../harness/sub-organization.ts"
import { refused, type Stage, stage } from "./stage.ts"

const LOGIN = "ACTIVITY_TYPE_STAMP_LOGIN"

/** A login with `key` that names the parent, for a session key made for it. */
function loginAtParent({ seat, acme }: Stage, key: TestKey) {
  const session = newKey()
  const body = seat.body(LOGIN, acme.organizationId, { publicKey: session.publicKeyHex })
  return {
    body,
    session,
    offer: () => seat.offer(body, stampWith(key, body)),
    send: () => seat.send(body, key),
  }
}

t.test(
  "a login that names only the parent opens a session in the one sub-organization that holds the key",
  async (t) => {
    const scene = await stage(t)
    const { seat, acme, boundary } = scene
    const one = await child(seat, acme)
    await child(seat, acme)
    await boundary.restart()
    const { send, session } = loginAtParent(scene, one.root)
    const outcome = outcomeOf(await send())
    t.equal(outcome.organizationId, one.organizationId, "the activity is the sub-organization's")
    const token = valueOf(outcome, "stampLoginResult").session
    const claims = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64").toString())
    t.match(claims, { organization_id: one.organizationId, user_id: one.rootUserId })
    const signed = seat.body("ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2", one.organizationId, signParams(one.address))
    t.match(await seat.send(signed, session), { is: "outcome" })

    const parents = outcomeOf(await loginAtParent(scene, acme.root).send())
    t.equal(parents.organizationId, acme.organizationId, "who belongs to the parent logs in there")
    const stranger = loginAtParent(scene, newKey())
    await refused(t, scene, "CREDENTIAL_UNKNOWN", stranger.offer)
  },
)

t.test(
  "A8: a login with a key of two sub-organizations is refused until one of them has verified a stamp of it",
  async (t) => {
    const scene = await stage(t)
    const { seat, acme } = scene
    const key = newKey()
    const mine = await child(seat, acme, { key })
    const planted = await child(seat, acme, { key })
    await refused(t, scene, "CREDENTIAL_CONFLICT", loginAtParent(scene, key).offer)

    await seat.submit(key, LOGIN, mine.organizationId, { publicKey: newKey().publicKeyHex })
    for (const _ of [1, 2]) {
      const outcome = outcomeOf(await loginAtParent(scene, key).send())
      t.equal(outcome.organizationId, mine.organizationId, "where its holder has logged in before")
    }
    await child(seat, acme, { key })
    t.equal(outcomeOf(await loginAtParent(scene, key).send()).organizationId, mine.organizationId)

    await seat.submit(key, LOGIN, planted.organizationId, { publicKey: newKey().publicKeyHex })
    await refused(t, scene, "CREDENTIAL_CONFLICT", loginAtParent(scene, key).offer, "proven in both")
  },
)

t.test(
  "A8: adding a key to another sub-organization does not redirect a login already verified",
  async (t) => {
    const scene = await stage(t)
    const { seat, acme } = scene
    const key = newKey()
    const mine = await child(seat, acme, { key })
    outcomeOf(await loginAtParent(scene, key).send())
    await child(seat, acme, { key })
    t.equal(outcomeOf(await loginAtParent(scene, key).send()).organizationId, mine.organizationId)
  },
)

t.test("A4: one body never logs in to two sub-organizations", async (t) => {
  const scene = await stage(t)
  const { seat, acme, boundary } = scene
  const key = newKey()
  const first = await child(seat, acme, { key })
  const { body, offer, send } = loginAtParent(scene, key)
  t.equal(outcomeOf(await send()).organizationId, first.organizationId)
  await seat.acknowledge(acme.organizationId, fingerprintOf(body), key.publicKeyHex)
  await refused(t, scene, "ACTIVITY_REPLAYED", offer)

  const deletion = { deleteWithoutExport: true }
  await seat.submit(key, "ACTIVITY_TYPE_DELETE_SUB_ORGANIZATION", first.organizationId, deletion)
  await refused(t, scene, "CREDENTIAL_UNKNOWN", offer, "nobody holds the key")
  await child(seat, acme, { key })
  await refused(t, scene, "ACTIVITY_REPLAYED", offer, "another holds it now")
  await boundary.restart()
  await refused(t, scene, "ACTIVITY_REPLAYED", offer, "after a restart")

  const users = [
    { userName: "late", apiKeys: [apiKey(key)], authenticators: [], oauthProviders: [], userTags: [] },
  ]
  await seat.submit(acme.root, "ACTIVITY_TYPE_CREATE_USERS_V3", acme.organizationId, { users })
  await refused(t, scene, "ACTIVITY_REPLAYED", offer, "the parent itself holds it")
})

t.test(
  "A8: documents that the API tier supplies or withholds do not select the login's organization",
  async (t) => {
    const scene = await stage(t)
    const { seat, acme, boundary } = scene
    const key = newKey()
    const mine = await child(seat, acme, { key })
    const other = await child(seat, acme)
    await boundary.restart()
    const { body } = loginAtParent(scene, key)
    const xStamp = stampWith(key, body)
    const [parent, wrong] = [acme, other].map(({ organizationId }) => seat.documents.get(organizationId)!)
    const shown = await seat.order(body, xStamp, { documents: [parent!, wrong!] })
    t.match(shown, { is: "needed", needed: { documents: [{ organizationId: mine.organizationId }] } })
    const right = { documents: [parent!, seat.documents.get(mine.organizationId)!] }
    t.match(await seat.order(body, xStamp, right), { is: "outcome" })
  },
)

t.test("A3: an identity row deleted or altered in the ledger is refused", async (t) => {
  const edits = [
    "DELETE FROM entry WHERE kind = 'identity'",
    "UPDATE entry SET value = zeroblob(48) WHERE kind = 'identity'",
  ]
  for (const edit of edits) {
    const scene = await stage(t)
    const { seat, acme, boundary } = scene
    const key = newKey()
    await child(seat, acme, { key })
    await boundary.signer.close()
    const tables = new DatabaseSync(join(boundary.directory, "signer", "ledger", "ledger.sqlite"))
    tables.exec(edit)
    tables.close()
    await boundary.restart()
    t.match(await loginAtParent(scene, key).offer(), { is: "refused", code: "LEDGER_DAMAGED" }, edit)
  }
})

t.test(
  "A6: removing a key removes its owner and its verified login from the identity register",
  async (t) => {
    const scene = await stage(t)
    const { seat, acme } = scene
    const key = newKey()
    const mine = await child(seat, acme)
    const { organizationId, root, rootUserId: userId } = mine
    const give = () =>
      seat.submit(root, "ACTIVITY_TYPE_CREATE_API_KEYS_V2", organizationId, {
        userId,
        apiKeys: [apiKey(key)],
      })
    const [apiKeyId] = valueOf(await give(), "createApiKeysResult").apiKeyIds
    outcomeOf(await loginAtParent(scene, key).send())
    await seat.submit(root, "ACTIVITY_TYPE_DELETE_API_KEYS", organizationId, {
      userId,
      apiKeyIds: [apiKeyId],
    })
    await refused(t, scene, "CREDENTIAL_UNKNOWN", loginAtParent(scene, key).offer)
    await give()
    await child(seat, acme, { key })
    await refused(
      t,
      scene,
      "CREDENTIAL_CONFLICT",
      loginAtParent(scene, key).offer,
      "given again, it is unproven",
    )
  },
)
