import t from "tap"
import { ActivityStatus } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import { valueOf } from "../harness/api-client.ts"
import { Recipient, SecretUser } from "../harness/secrets.ts"
import { stampWith, type TestKey } from "../harness/stamper.ts"
import { allow, deny, setupMembers } from "./consensus-fixture.ts"
import { asRoot, type Fixture, refused, setup } from "./setup.ts"

const EXPORT = "ACTIVITY_TYPE_EXPORT_SECRETS"
const CONTENTS = [
  { plaintext: "the content of the card", properties: { kind: "card", scope: "ops" } },
  { plaintext: "the content of the token", properties: { kind: "token", scope: "ops" } },
  { plaintext: "the content without properties" },
]

type Sender = Pick<Fixture, "client" | "acme">

const bodyOf = ({ client, acme }: Sender, ...secretIds: string[]) => {
  const recipient = new Recipient()
  return client.body(EXPORT, acme.organizationId, { secrets: secretIds.map((id) => recipient.asks(id)) })
}

const exporter =
  (fixture: Sender, key: TestKey) =>
  (...secretIds: string[]) =>
  () =>
    fixture.client.send(bodyOf(fixture, ...secretIds), key)

t.test("B5: a policy on a secret's properties decides each secret of an export", async (t) => {
  const fixture = await setupMembers(t)
  const [card = "", token = "", bare = ""] = await new SecretUser(fixture).import(...CONTENTS)
  const byDan = exporter(fixture, fixture.dan.key)
  const denied = (attack: ReturnType<typeof byDan>, what: string) =>
    refused(t, fixture, "PERMISSION_DENIED", attack, what)
  await denied(byDan(card), "without a policy")
  await allow(fixture, { condition: "secret.static_properties['kind'] == 'card'" })
  t.match(await byDan(card)(), { is: "outcome" })
  await denied(byDan(token), "of another kind")
  await denied(byDan(bare), "without the property")
  await denied(byDan(card, token), "a batch that ends with one of another kind")
  await denied(byDan(token, card), "a batch that begins with one of another kind")

  await allow(fixture, { condition: "secret.static_properties['kind'] == 'token'" })
  t.match(await byDan(token, card, token)(), { is: "outcome" }, "each secret by a policy of its own")
  await denied(byDan(card, bare), "with one that no policy allows")
  await deny(fixture, {
    condition: "secret.static_properties['kind'] == 'token' && secret.static_properties['scope'] == 'ops'",
  })
  await denied(byDan(card, token), "with one that a policy denies")
  t.match(await byDan(card)(), { is: "outcome" })
  t.match(
    await exporter(fixture, fixture.acme.root)(card, token, bare)(),
    { is: "outcome" },
    "the root quorum",
  )
  const imported = await new SecretUser(fixture, fixture.dan.key).targets().catch(() => undefined)
  t.equal(imported, undefined, "a policy on secrets to export allows no import")
})

t.test("B5: withheld records of secrets change nothing that a policy reads", async (t) => {
  const fixture = await setupMembers(t)
  const { boundary, client, acme, dan } = fixture
  const [card = "", token = ""] = await new SecretUser(fixture).import(...CONTENTS)
  await allow(fixture)
  await deny(fixture, { condition: "secret.static_properties['kind'] == 'card'" })
  const document = client.documents.get(acme.organizationId)!
  const body = bodyOf(fixture, token, card)
  const shown = {
    nothing: [],
    "another secret": [client.records.get(token)!],
    "its own record": [client.records.get(token)!, client.records.get(card)!],
  }
  for (const [what, records] of Object.entries(shown)) {
    await boundary.restart()
    const attack = () => client.order(body, stampWith(dan.key, body), { document, records })
    await refused(t, fixture, "PERMISSION_DENIED", attack, what)
  }
  const nowhere = bodyOf(fixture, acme.organizationId)
  const unknown = () => client.offer(nowhere, stampWith(dan.key, nowhere))
  await refused(t, fixture, "RESOURCE_UNKNOWN", unknown, "a secret that does not exist")
  t.match(await exporter(fixture, dan.key)(token)(), { is: "outcome" })
})

t.test("A8: a session scope must allow every secret of an export", async (t) => {
  const fixture = await setup(t)
  const { client, acme } = fixture
  const [card = "", token = "", bare = ""] = await new SecretUser(fixture).import(...CONTENTS)
  const scope = "activity.kind == 'EXPORT_SECRETS' && secret.static_properties['kind'] == 'card'"
  const made = await asRoot(fixture).submit("CREATE_SESSION_PROFILE", { sessionProfileName: "cards", scope })
  const { sessionProfileId } = valueOf(made, "createSessionProfileResult")
  const { key } = await client.login(acme, acme.root, { sessionProfileId, expirationSeconds: "3600" })
  const inSession = exporter(fixture, key)
  t.match(await inSession(card)(), { is: "outcome" })
  await refused(t, fixture, "SESSION_SCOPE_DENIED", inSession(token))
  await refused(t, fixture, "SESSION_SCOPE_DENIED", inSession(card, token), "a batch")
  await refused(t, fixture, "SESSION_SCOPE_UNDECIDED", inSession(card, bare), "without the property")
  const deleting = { secretIds: [card] }
  const remove = () =>
    client.send(client.body("ACTIVITY_TYPE_DELETE_SECRETS", acme.organizationId, deleting), key)
  await refused(t, fixture, "SESSION_SCOPE_UNDECIDED", remove, "only an export has the root")
})

t.test("A5: an export that waits for votes gives nothing away before the last one", async (t) => {
  const fixture = await setupMembers(t)
  const { client, acme, dan, eva } = fixture
  const [card = ""] = await new SecretUser(fixture).import(...CONTENTS)
  const both = [dan, eva].map(({ userId }) => `approvers.any(u, u.id == '${userId}')`).join(" && ")
  await allow(fixture, { condition: "secret.static_properties['kind'] == 'card'", consensus: both })
  const recipient = new Recipient()
  const parameters = { secrets: [recipient.asks(card)] }
  const body = client.body(EXPORT, acme.organizationId, parameters)
  const waiting = await client.send(body, dan.key)
  if (waiting.is !== "outcome") return t.fail(JSON.stringify(waiting))
  t.match(waiting.outcome, { status: ActivityStatus.CONSENSUS_NEEDED, result: undefined })
  const done = await client.send(body, eva.key)
  if (done.is !== "outcome") return t.fail(JSON.stringify(done))
  const [payload = ""] = valueOf(done.outcome, "exportSecretsResult").secretPayloads
  t.equal(await recipient.open(payload, new SecretUser(fixture).by), CONTENTS[0]?.plaintext)
})
