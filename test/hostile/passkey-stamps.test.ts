// B7: passkey stamps, valid and forged, through the boundary.
import { createHash } from "node:crypto"
import t from "tap"
import { ActivityStatus } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { RefusalName } from "../../signer/core/refusal.ts"
import { readPasskeyStamp } from "../../signer/core/stamp/read-stamp.ts"
import { requireStampByCredential } from "../../signer/core/stamp/verify.ts"
import {
  keptOutcome,
  outcomeOf,
  readSetupCode,
  signParams,
  type Tenant,
  valueOf,
} from "../harness/api-client.ts"
import { type Departure, nameOf, Passkey } from "../harness/authenticator.ts"
import { fingerprintOf, newKey, stampWith } from "../harness/stamper.ts"
import { quorumOfThree } from "./quorum.ts"
import { allRefused, refused, type Fixture, setup } from "./setup.ts"

const CREATE = "ACTIVITY_TYPE_CREATE_AUTHENTICATORS_V2"
const DELETE = "ACTIVITY_TYPE_DELETE_AUTHENTICATORS"
const SIGN = "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2"
const WALLET = "ACTIVITY_TYPE_CREATE_WALLET"

/** Adds a passkey to the root user; returns its id. */
async function enroll({ client }: Pick<Fixture, "client">, acme: Tenant, passkey: Passkey): Promise<string> {
  const { organizationId, root, rootUserId: userId } = acme
  const parameters = { userId, authenticators: [passkey.create()] }
  const outcome = await client.submit(root, CREATE, organizationId, parameters)
  return valueOf(outcome, "createAuthenticatorsResult").authenticatorIds[0]!
}

t.test(
  "a passkey signs, changes and receives its outcome again until the outcome is acknowledged",
  async (t) => {
    const fixture = await setup(t)
    const { boundary, client, acme, address } = fixture
    const { organizationId } = acme
    for (const passkey of [
      new Passkey(),
      new Passkey({ algorithm: "RS256" }),
      new Passkey({ algorithm: "EdDSA" }),
      new Passkey({ idBytes: 1023 }),
    ]) {
      await enroll(fixture, acme, passkey)
      const signed = await client.submit(passkey, SIGN, organizationId, signParams(address))
      t.ok(valueOf(signed, "signRawPayloadResult").r)
      const body = client.body(WALLET, organizationId, {
        walletName: nameOf(passkey).slice(0, 40),
        accounts: [],
      })
      const send = async () => outcomeOf(await client.send(body, passkey))
      const first = await send()
      t.equal(first.unacknowledged, true)
      await boundary.restart()
      t.same(await send(), keptOutcome(first), "the same outcome after a restart")
      await client.acknowledge(organizationId, fingerprintOf(body), acme.root.publicKeyHex)
      t.same(await send(), keptOutcome(first), "another's acknowledgement does not touch it")
      await client.acknowledge(organizationId, fingerprintOf(body), nameOf(passkey))
      await refused(t, fixture, "ACTIVITY_REPLAYED", () => client.send(body, passkey))
    }
  },
)

t.test("B7: refuses an assertion that breaks a rule, and one of an unknown passkey", async (t) => {
  const fixture = await setup(t)
  const { client, acme, address } = fixture
  const passkey = new Passkey()
  await enroll(fixture, acme, passkey)
  const body = client.body(SIGN, acme.organizationId, signParams(address))
  const attempt = (departure: Departure, from = passkey) =>
    client.offer(body, { xStampWebauthn: from.stamp(body, departure) })
  const attacks: [RefusalName, string, Departure][] = [
    ["STAMP_CEREMONY_WRONG", "a registration's client data", { type: "webauthn.create" }],
    ["STAMP_CEREMONY_WRONG", "for another relying party", { rpId: "evil.example" }],
    ["STAMP_CEREMONY_WRONG", "no user present", { flags: 0x00 }],
    ["STAMP_INVALID", "another challenge", { challenge: "AAAA" }],
    ["STAMP_INVALID", "another key", { signer: new Passkey().privateKey }],
    ["STAMP_MALFORMED", "a credential announced and not there", { flags: 0x41 }],
  ]
  for (const [code, what, departure] of attacks) {
    await refused(t, fixture, code, () => attempt(departure), what)
  }
  await refused(t, fixture, "PASSKEY_UNKNOWN", () => attempt({}, new Passkey()))
  t.match(await attempt({}), { is: "outcome" }, "the unaltered twin")
})

t.test("B7: refuses a stamp for other bytes, and every flipped bit of one", async (t) => {
  const fixture = await setup(t)
  const { client, acme, address } = fixture
  const passkey = new Passkey()
  await enroll(fixture, acme, passkey)
  const body = client.body(SIGN, acme.organizationId, signParams(address))
  const stamp = passkey.stamp(body)
  t.match(await client.offer(body, { xStampWebauthn: stamp }), { is: "outcome" }, "the unaltered twin")
  await refused(t, fixture, "STAMP_INVALID", () => client.offer(`${body} `, { xStampWebauthn: stamp }))
  const members = JSON.parse(stamp) as Record<string, string>
  const bits = (name: string, where: (bytes: Buffer) => number[]) => {
    const bytes = Buffer.from(members[name] ?? "", "base64url")
    return where(bytes).map((bit) => {
      const altered = Buffer.from(bytes)
      altered[bit >> 3]! ^= 1 << (bit & 7)
      return JSON.stringify({ ...members, [name]: altered.toString("base64url") })
    })
  }
  const every = ({ length }: Buffer) => Array.from({ length: length * 8 }, (_, bit) => bit)
  const send = (xStampWebauthn: string) => client.order(body, { xStampWebauthn })
  await allRefused(t, fixture, "STAMP_INVALID", bits("signature", every), send)
  await allRefused(t, fixture, "PASSKEY_UNKNOWN", bits("credentialId", every), send)
  const counter = () => Array.from({ length: 32 }, (_, bit) => 33 * 8 + bit)
  await allRefused(t, fixture, "STAMP_INVALID", bits("authenticatorData", counter), send)
  const rpIdHash = () => Array.from({ length: 256 }, (_, bit) => bit)
  await allRefused(t, fixture, "STAMP_CEREMONY_WRONG", bits("authenticatorData", rpIdHash), send)
})

t.test("B7: exactly one stamp, and a passkey's only in its own header", async (t) => {
  const fixture = await setup(t)
  const { client, acme, address } = fixture
  const passkey = new Passkey()
  await enroll(fixture, acme, passkey)
  const body = client.body(SIGN, acme.organizationId, signParams(address))
  const [xStamp, xStampWebauthn] = [stampWith(acme.root, body), passkey.stamp(body)]
  const wrapped = Buffer.from(xStampWebauthn).toString("base64url")
  await refused(t, fixture, "STAMP_MALFORMED", () => client.order(body, { xStamp, xStampWebauthn }))
  await refused(t, fixture, "STAMP_MALFORMED", () => client.order(body, { xStamp: wrapped }), "in X-Stamp")
  await refused(
    t,
    fixture,
    "STAMP_MALFORMED",
    () => client.order(body, { xStampWebauthn: xStamp }),
    "a key's stamp",
  )
  t.match(await client.offer(body, { xStampWebauthn: wrapped }), { is: "outcome" }, "in base64url")
})

t.test("B7: refuses a removed passkey, also with the older document, after a restart", async (t) => {
  const fixture = await setup(t)
  const { boundary, client, acme, address } = fixture
  const { organizationId, root, rootUserId: userId } = acme
  const stolen = new Passkey()
  const authenticatorId = await enroll(fixture, acme, stolen)
  const old = client.documents.get(organizationId)!
  const body = client.body(SIGN, organizationId, signParams(address))
  const records = [...client.records.values()]
  const attempt = (document: Uint8Array) =>
    client.order(body, { xStampWebauthn: stolen.stamp(body) }, { document, records })
  t.match(await attempt(old), { is: "outcome" }, "before it is removed")
  await client.submit(root, DELETE, organizationId, { userId, authenticatorIds: [authenticatorId] })
  const current = client.documents.get(organizationId)!
  for (const when of ["at once", "after a restart"]) {
    await refused(t, fixture, "DOCUMENT_ROLLED_BACK", () => attempt(old), `${when}, with the older document`)
    await refused(t, fixture, "PASSKEY_UNKNOWN", () => attempt(current), `${when}, with the current one`)
    await boundary.restart()
  }
})

t.test("B7: a passkey stamps in its own organization only", async (t) => {
  const fixture = await setup(t)
  const { client, acme, address } = fixture
  const other = await client.createOrganization("Other")
  const passkey = new Passkey()
  await enroll(fixture, other, passkey)
  const here = client.body(SIGN, acme.organizationId, signParams(address))
  await refused(t, fixture, "PASSKEY_UNKNOWN", () => client.send(here, passkey))
  const key = newKey()
  const setupCode = await fixture.boundary.createSetupCode(key.publicKeyHex)
  const rootUser = {
    userName: "root",
    apiKeys: [{ apiKeyName: "k", publicKey: key.publicKeyHex, curveType: "API_KEY_CURVE_P256" }],
  }
  const creation = client.body("ACTIVITY_TYPE_CREATE_ORGANIZATION", readSetupCode(setupCode).organizationId, {
    setupCode,
    organizationName: "Third",
    rootUser,
  })
  await refused(t, fixture, "SETUP_CODE_OF_ANOTHER_KEY", () => client.send(creation, passkey))
})

t.test("A5: a passkey's vote can be verified by anybody and ends when the passkey is deleted", async (t) => {
  const fixture = await quorumOfThree(t)
  const { boundary, client, acme, alice, bob, propose, approve, approval } = fixture
  const { organizationId } = acme
  const passkey = new Passkey()
  const agreed = async (type: string, parameters: object) => {
    const { body, fingerprint } = await propose(type, parameters)
    await approve(alice, fingerprint)
    const last = await approve(bob, fingerprint)
    t.equal(last.status, ActivityStatus.COMPLETED, type)
    return { body, last }
  }
  const { userId } = alice
  const given = await agreed("CREATE_AUTHENTICATORS_V2", { userId, authenticators: [passkey.create()] })
  const { authenticatorIds } = valueOf(given.last, "createAuthenticatorsResult")

  const { fingerprint } = await propose()
  const vote = approval(fingerprint)
  t.match(await client.send(vote, passkey), {
    is: "outcome",
    outcome: { status: ActivityStatus.CONSENSUS_NEEDED },
  })
  const { outcomes } = await boundary.recover(organizationId)
  const kept = outcomes.find(({ body }) => Buffer.from(body).toString() === vote)?.stamp
  t.match(kept, { scheme: "SIGNATURE_SCHEME_TK_WEBAUTHN", credential: nameOf(passkey) })
  const authenticator = {
    publicKey: Buffer.from(kept?.publicKey ?? "", "base64url"),
    rpIdHash: createHash("sha256").update(passkey.rpId).digest(),
  }
  const terms = { nowMs: 0, origins: () => undefined }
  const again = readPasskeyStamp(kept?.signature ?? "")
  t.doesNotThrow(() => requireStampByCredential({ authenticator }, again, Buffer.from(vote), terms))
  const twice = approval(fingerprint)
  await refused(
    t,
    fixture,
    "VOTE_REPEATED",
    () => client.send(twice, alice.key),
    "the user has voted, by whatever",
  )

  await agreed("DELETE_AUTHENTICATORS", { userId, authenticatorIds })
  t.equal(
    (await approve(bob, fingerprint)).status,
    ActivityStatus.CONSENSUS_NEEDED,
    "two live votes of three",
  )
  const impostor = new Passkey({ idFrom: passkey })
  await agreed("CREATE_AUTHENTICATORS_V2", { userId, authenticators: [impostor.create()] })
  const own = approval(fingerprint)
  const done = await client.send(own, impostor)
  t.match(done, { is: "outcome", outcome: { status: ActivityStatus.COMPLETED } }, "the old vote stayed dead")
})
