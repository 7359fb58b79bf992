// Sessions that the service makes itself: read-only ones, which anybody with their text uses, and read-write ones.
import { fromBinary } from "@bufbuild/protobuf"
import t from "tap"
import { ActivityStatus } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import { RefusalCode } from "../../proto/gen/countersign/signer/v1/refusal_pb.ts"
import { RecordSchema, SessionRecordSchema } from "../../proto/gen/countersign/state/v1/record_pb.ts"
import { readPublicKeySet } from "../../signer/core/crypto/keyset.ts"
import { requireReadOnlySession } from "../../signer/core/session/read-only-session.ts"
import { apiKey, type Tenant, valueOf } from "../harness/api-client.ts"
import { attestedKey } from "./oidc-fixture.ts"
import { Passkey } from "../harness/authenticator.ts"
import { Reader } from "../harness/bundles.ts"
import { newKey, type Stamper } from "../harness/stamper.ts"
import { setupMembers } from "./consensus-fixture.ts"
import { API_KEY, demand, outcomeOf, voteOn } from "./mfa-fixture.ts"
import { asRoot, type Fixture, refused, setup } from "./setup.ts"

const READ_ONLY = "ACTIVITY_TYPE_CREATE_READ_ONLY_SESSION"
const READ_WRITE = "ACTIVITY_TYPE_CREATE_READ_WRITE_SESSION_V2"
const HOUR_MS = 60 * 60 * 1000
const DAY_MS = 24 * HOUR_MS

const notarizerOf = ({ boundary }: Fixture) =>
  readPublicKeySet(boundary.signer.state().keyring.pins.notarizerPublicKey)!.sign

async function openReadOnly({ client }: Fixture, { organizationId }: Tenant, by: Stamper) {
  const outcome = await client.submit(by, READ_ONLY, organizationId, {})
  return { ...valueOf(outcome, "createReadOnlySessionResult"), atMs: Number(outcome.decision!.decidedAtMs) }
}

t.test("A5: a read-only session stamps nothing, in whichever header it comes", async (t) => {
  const fixture = await setup(t)
  const { client, acme } = fixture
  const { session } = await openReadOnly(fixture, acme, acme.root)
  const body = client.body("ACTIVITY_TYPE_CREATE_WALLET", acme.organizationId, {
    walletName: "W",
    accounts: [],
  })
  for (const value of [session, Buffer.from(session).toString("base64url")]) {
    for (const header of ["xStamp", "xStampWebauthn", "xStampAttested"]) {
      const attack = () => client.order(body, { [header]: value })
      await refused(t, fixture, "STAMP_MALFORMED", attack, header)
    }
  }
  t.match(await client.send(body, acme.root), { is: "outcome" }, "the same body, stamped")
})

t.test(
  "A4: a read-only session names its opener, and ends within the hour and with the opener's expiry",
  async (t) => {
    const fixture = await setup(t)
    const { client, acme } = fixture
    const { organizationId, root, rootUserId: userId } = acme
    const passkey = new Passkey()
    const authenticators = [passkey.create()]
    await asRoot(fixture).submit("CREATE_AUTHENTICATORS_V2", { userId, authenticators })
    const identity = attestedKey(fixture)
    const oauthProviders = [{ providerName: "idp", oidcToken: identity.token }]
    await asRoot(fixture).submit("CREATE_OAUTH_PROVIDERS_V2", { userId, oauthProviders })
    const short = await client.login(acme, root, { expirationSeconds: "60" })
    const long = await client.login(acme, root, { expirationSeconds: "86400" })
    const openers: [Stamper, number][] = [
      [root, HOUR_MS],
      [passkey, HOUR_MS],
      [identity, HOUR_MS],
      [long.key, HOUR_MS],
      [short.key, 60_000],
    ]
    for (const [by, lifetimeMs] of openers) {
      const { session, sessionExpiry, atMs, ...shown } = await openReadOnly(fixture, acme, by)
      t.match(shown, { organizationId, organizationName: "Acme", userId, username: "root" })
      const read = requireReadOnlySession(session, notarizerOf(fixture), atMs)
      t.match(read, { organizationId, userId })
      t.ok(
        Number(sessionExpiry) * 1000 <= atMs + lifetimeMs &&
          Number(sessionExpiry) * 1000 > atMs + lifetimeMs - 2000,
      )
      t.equal(read.expiresAtMs, Number(sessionExpiry) * 1000)
    }
  },
)

t.test("A8: a confined session makes sessions of its own scope only", async (t) => {
  const fixture = await setup(t)
  const { client, acme } = fixture
  const parameters = { sessionProfileName: "logins", scope: "activity.resource == 'AUTH'" }
  const made = await asRoot(fixture).submit("CREATE_SESSION_PROFILE", parameters)
  const { sessionProfileId } = valueOf(made, "createSessionProfileResult")
  const { key } = await client.login(acme, acme.root, { sessionProfileId, expirationSeconds: "3600" })
  const { targetPublicKey } = new Reader()
  const outcome = await client.submit(key, READ_WRITE, acme.organizationId, { targetPublicKey })
  const { payload } = fromBinary(RecordSchema, outcome.records.at(-1)!)
  t.equal(fromBinary(SessionRecordSchema, payload).scope?.sessionProfileId, sessionProfileId)
})

t.test("A5: sessions whose own stamp no longer counts are not opened by a vote", async (t) => {
  const fixture = await setupMembers(t)
  const { boundary, client, acme, dan } = fixture
  const second = newKey()
  const apiKeys = [apiKey(second, "second")]
  await asRoot(fixture).submit("CREATE_API_KEYS_V2", { userId: dan.userId, apiKeys })
  await demand(fixture, dan.userId, [API_KEY, API_KEY], { condition: "activity.resource == 'AUTH'" })
  const { targetPublicKey } = new Reader()
  const bodies = [READ_ONLY, READ_WRITE].map((type) => {
    const parameters = type === READ_WRITE ? { targetPublicKey } : {}
    return [0, 1].map(() => client.body(type, acme.organizationId, parameters)) as [string, string]
  })
  for (const body of bodies.flat())
    t.match(await outcomeOf(fixture, body, dan.key), { status: ActivityStatus.AUTHENTICATORS_NEEDED })
  for (const [early] of bodies)
    t.match(await outcomeOf(fixture, voteOn(fixture, early), second), { status: ActivityStatus.COMPLETED })
  boundary.clock.pass(DAY_MS)
  for (const [, late] of bodies) {
    await outcomeOf(fixture, voteOn(fixture, late), dan.key)
    const lapsed = {
      status: ActivityStatus.FAILED,
      failure: { code: RefusalCode.LOGIN_LAPSED },
      result: undefined,
    }
    t.match(await outcomeOf(fixture, voteOn(fixture, late), second), lapsed)
  }
})
