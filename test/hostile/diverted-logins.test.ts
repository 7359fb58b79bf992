// A8: a login that names only the parent goes where its user was, whatever later users register.
import t from "tap"
import { p256 } from "@noble/curves/nist.js"
import { secp256k1 } from "@noble/curves/secp256k1.js"
import { SigningKey } from "ethers"
import { hashMessage } from "viem"
import { createHash } from "node:crypto"
import { apiKey, outcomeOf, type Tenant, userParams } from "../harness/api-client.ts"
import { Passkey } from "../harness/authenticator.ts"
import { CURVE_OF_SCHEME, curveKeyParams, newCurveKey, stampUnder } from "../harness/scheme-keys.ts"
import { credentialOf, newKey, stampBy, type Stamper, stampWith } from "../harness/stamper.ts"
import { child } from "../harness/sub-organization.ts"
import { created, homeOf, LOGIN, loginBody, SECOND_MS } from "./family-fixture.ts"
import { type Fixture, refused, setup } from "./setup.ts"

const EIP191 = "SIGNATURE_SCHEME_TK_API_SECP256K1_EIP191"

/** The stamp's members, and the same stamp with others. */
function readStamp(header: string) {
  return JSON.parse(Buffer.from(header, "base64url").toString()) as { signature: string }
}

function withMembers(header: string, members: object): string {
  return Buffer.from(JSON.stringify({ ...readStamp(header), ...members })).toString("base64url")
}

/** A login's body and stamp whose r is the x coordinate of a point on these curves; half of all are, on each. */
function stampedOn(fixture: Fixture, curves: readonly (typeof p256)[], stamp: (body: string) => string) {
  for (;;) {
    const body = loginBody(fixture)
    const xStamp = stamp(body)
    const { r } = p256.Signature.fromHex(readStamp(xStamp).signature, "der")
    const text = r.toString(16).padStart(64, "0")
    if (curves.every((curve) => isPoint(curve, `02${text}`))) return { body, xStamp }
  }
}

function isPoint(curve: typeof p256, hex: string): boolean {
  try {
    return !curve.Point.fromHex(hex).is0()
  } catch {
    return false
  }
}

/** Keys other than `own` under which a signature verifies, computed by noble from the signature alone. */
function otherKeys(curve: typeof p256, signatureHex: string, digest: Uint8Array, own = ""): string[] {
  const signature = curve.Signature.fromHex(signatureHex, "der")
  return [0, 1]
    .map((bit) => signature.addRecoveryBit(bit).recoverPublicKey(digest).toHex(true))
    .filter((key) => key !== own)
}

function sha256(text: string | Uint8Array): Buffer {
  return createHash("sha256").update(text).digest()
}

t.test("A8: the second key that a signature fits leads no login away from its user", async (t) => {
  const fixture = await setup(t)
  const { client, boundary } = fixture
  const key = newKey()
  const mine = await created(fixture, { apiKeys: [apiKey(key)] })
  const body = loginBody(fixture)
  const { xStamp = "" } = stampBy(key, body)
  const [second = ""] = otherKeys(p256, readStamp(xStamp).signature, sha256(body), key.publicKeyHex)
  await boundary.pass(SECOND_MS)
  await created(fixture, { apiKeys: [{ ...apiKey(key), publicKey: second }] })
  const exchanged = withMembers(xStamp, { publicKey: second })
  await refused(t, fixture, "CREDENTIAL_UNKNOWN", () => client.offer(body, exchanged))
  const outcome = outcomeOf(await client.offer(body, xStamp))
  t.equal(outcome.organizationId, mine.organizationId, "the unaltered stamp goes home")
})

t.test("A8: a signature read under another scheme leads no login away from its user", async (t) => {
  const fixture = await setup(t)
  const { client, boundary } = fixture
  const key = newKey()
  const wallet = newCurveKey(CURVE_OF_SCHEME[EIP191])
  const homes = {
    p256: await created(fixture, { apiKeys: [apiKey(key)] }),
    wallet: await created(fixture, { apiKeys: [curveKeyParams(wallet, "wallet")] }),
  }
  const plain = stampedOn(fixture, [secp256k1], (body) => stampWith(key, body))
  const personal = stampedOn(fixture, [p256], (body) => stampUnder(wallet, EIP191, body))
  const attacks = [
    { ...plain, curve: secp256k1, scheme: "SECP256K1" },
    { ...personal, curve: secp256k1, scheme: "SECP256K1" },
    { ...personal, curve: p256, scheme: "P256" },
  ]
  await boundary.pass(SECOND_MS)
  for (const { body, xStamp, curve, scheme } of attacks) {
    const [publicKey = ""] = otherKeys(curve, readStamp(xStamp).signature, sha256(body))
    await created(fixture, {
      apiKeys: [{ apiKeyName: "computed", publicKey, curveType: `API_KEY_CURVE_${scheme}` }],
    })
    const exchanged = withMembers(xStamp, { publicKey, scheme: `SIGNATURE_SCHEME_TK_API_${scheme}` })
    await refused(t, fixture, "CREDENTIAL_UNKNOWN", () => client.offer(body, exchanged), scheme)
  }
  t.equal(outcomeOf(await client.offer(plain.body, plain.xStamp)).organizationId, homes.p256.organizationId)
  t.equal(
    outcomeOf(await client.offer(personal.body, personal.xStamp)).organizationId,
    homes.wallet.organizationId,
  )
})

t.test("A8: a root user of the parent is led into no sub-organization by the second key", async (t) => {
  const fixture = await setup(t)
  const { client, acme, boundary } = fixture
  const body = loginBody(fixture)
  const { xStamp = "" } = stampBy(acme.root, body)
  const [second = ""] = otherKeys(p256, readStamp(xStamp).signature, sha256(body), acme.root.publicKeyHex)
  await boundary.pass(SECOND_MS)
  await created(fixture, { apiKeys: [{ ...apiKey(acme.root), publicKey: second }] })
  await created(fixture, { apiKeys: [apiKey(acme.root)] })
  const exchanged = withMembers(xStamp, { publicKey: second })
  await refused(t, fixture, "CREDENTIAL_UNKNOWN", () => client.offer(body, exchanged))
  t.equal(outcomeOf(await client.offer(body, xStamp)).organizationId, acme.organizationId)
})

t.test("an Ethereum wallet that signs before its sign-up logs in after it", async (t) => {
  const fixture = await setup(t)
  const { client, boundary } = fixture
  const wallet = newCurveKey(CURVE_OF_SCHEME[EIP191])
  const body = loginBody(fixture, boundary.nowMs() - 120 * SECOND_MS)
  const xStamp = stampUnder(wallet, EIP191, body)
  const recovered = SigningKey.recoverPublicKey(
    hashMessage(body),
    ethersSignature(xStamp, wallet.publicKeyHex, body),
  )
  t.equal(SigningKey.computePublicKey(recovered, true), `0x${wallet.publicKeyHex}`, "by ethers")
  const mine = await created(fixture, { apiKeys: [curveKeyParams(wallet, "wallet-auth")] })
  t.equal(outcomeOf(await client.offer(body, xStamp)).organizationId, mine.organizationId)
})

function ethersSignature(xStamp: string, publicKeyHex: string, body: string) {
  const { r, s } = secp256k1.Signature.fromHex(readStamp(xStamp).signature, "der")
  const text = (scalar: bigint) => `0x${scalar.toString(16).padStart(64, "0")}`
  const parities = [0, 1] as const
  const yParity = parities.find((parity) => {
    const signature = { r: text(r), s: text(s), yParity: parity }
    const found = SigningKey.recoverPublicKey(hashMessage(body), signature)
    return SigningKey.computePublicKey(found, true) === `0x${publicKeyHex}`
  })
  return { r: text(r), s: text(s), yParity: yParity ?? 0 }
}

t.test("A8: a body stamped before two sign-ups with its key goes to neither", async (t) => {
  const fixture = await setup(t)
  const { client, boundary } = fixture
  const key = newKey()
  const body = loginBody(fixture)
  const { xStamp = "" } = stampBy(key, body)
  await boundary.pass(SECOND_MS)
  await created(fixture, { apiKeys: [apiKey(key)] })
  await created(fixture, { apiKeys: [apiKey(key)] })
  await refused(t, fixture, "CREDENTIAL_NEWER_THAN_REQUEST", () => client.offer(body, xStamp))
})

t.test("A8: a body stamped before its key was added to a sub-organization goes nowhere", async (t) => {
  const fixture = await setup(t)
  const { client, boundary } = fixture
  const key = newKey()
  const body = loginBody(fixture)
  const { xStamp = "" } = stampBy(key, body)
  await boundary.pass(SECOND_MS)
  const mine = await child(client, fixture.acme)
  await give(fixture, mine, key)
  await refused(t, fixture, "LOGIN_UNPROVEN", () => client.offer(body, xStamp))
  await client.submit(key, LOGIN, mine.organizationId, { publicKey: newKey().publicKeyHex })
  await refused(t, fixture, "CREDENTIAL_NEWER_THAN_REQUEST", () => client.offer(body, xStamp))
  t.equal(await homeOf(fixture, key), mine.organizationId, "a newer body")
})

t.test("A8: a body stamped before the parent's new user had its key goes there, or nowhere", async (t) => {
  const fixture = await setup(t)
  const { client, acme, boundary } = fixture
  const slowMs = boundary.nowMs() - 120 * SECOND_MS
  const alice = await client.user(acme, "alice")
  const [first, second] = [loginBody(fixture, slowMs), loginBody(fixture, slowMs)]
  const offer = (body: string) => client.offer(body, stampBy(alice.key, body))
  t.equal(outcomeOf(await offer(first)).organizationId, acme.organizationId, "by a slow clock")
  await created(fixture, { apiKeys: [apiKey(alice.key)] })
  await refused(t, fixture, "CREDENTIAL_NEWER_THAN_REQUEST", () => offer(second), "no longer the only one")
})

/** Adds an API key to the root user of a sub-organization. */
async function give({ client }: Fixture, { organizationId, root, rootUserId: userId }: Tenant, key: Stamper) {
  const apiKeys = [{ ...apiKey(newKey()), publicKey: credentialOf(key) }]
  return client.submit(root, "ACTIVITY_TYPE_CREATE_API_KEYS_V2", organizationId, { userId, apiKeys })
}

t.test("A8: a key that a sub-organization's user adds leads and blocks no login", async (t) => {
  const fixture = await setup(t)
  const { client, acme } = fixture
  const key = newKey()
  const attacker = await child(client, acme)
  await give(fixture, attacker, key)
  await refused(t, fixture, "LOGIN_UNPROVEN", () => {
    const body = loginBody(fixture)
    return client.offer(body, stampBy(key, body))
  })
  const mine = await created(fixture, { apiKeys: [apiKey(key)] })
  t.equal(await homeOf(fixture, key), mine.organizationId)
})

t.test("A8: a parent's user without rights diverts and blocks no customer", async (t) => {
  const fixture = await setup(t)
  const { client, acme, boundary } = fixture
  const mallory = await client.user(acme, "mallory")
  const own = { organizationId: acme.organizationId, root: mallory.key, rootUserId: mallory.userId }
  const attacks: Record<string, (victim: ReturnType<typeof newKey>) => Promise<unknown>> = {
    "a session": (victim) => client.login(acme, mallory.key, {}, victim),
    "an expired session": async (victim) => {
      await client.login(acme, mallory.key, { expirationSeconds: "1" }, victim)
      await boundary.pass(2 * SECOND_MS)
    },
    "an API key": (victim) => give(fixture, own, victim),
    "an expired API key": async (victim) => {
      const apiKeys = [apiKey(victim, "expiring", "1")]
      const parameters = { userId: mallory.userId, apiKeys }
      await client.submit(mallory.key, "ACTIVITY_TYPE_CREATE_API_KEYS_V2", acme.organizationId, parameters)
      await boundary.pass(2 * SECOND_MS)
    },
  }
  for (const [what, attack] of Object.entries(attacks)) {
    const key = newKey()
    const mine = await created(fixture, { apiKeys: [apiKey(key)] })
    t.equal(await homeOf(fixture, key), mine.organizationId, `before ${what}`)
    await attack(key)
    t.equal(await homeOf(fixture, key), mine.organizationId, `after ${what}`)
  }
  const passkey = new Passkey()
  const mine = await created(fixture, { passkeys: [passkey] })
  const parameters = { userId: mallory.userId, authenticators: [passkey.create()] }
  await client.submit(mallory.key, "ACTIVITY_TYPE_CREATE_AUTHENTICATORS_V2", acme.organizationId, parameters)
  t.equal(await homeOf(fixture, passkey), mine.organizationId, "a passkey")
})

t.test(
  "A8: a sub-organization created with a parent user's key diverts and blocks none of their logins",
  async (t) => {
    const fixture = await setup(t)
    const { client, acme } = fixture
    const alice = await client.user(acme, "alice")
    await created(fixture, { apiKeys: [apiKey(alice.key)] })
    t.equal(await homeOf(fixture, alice.key), acme.organizationId)
    const { key: session } = await client.login(acme, alice.key)
    t.equal(await homeOf(fixture, session), acme.organizationId, "a session")
    await created(fixture, { apiKeys: [apiKey(session)] })
    const body = loginBody(fixture)
    await refused(
      t,
      fixture,
      "CREDENTIAL_CONFLICT",
      () => client.offer(body, stampBy(session, body)),
      "of neither",
    )
  },
)

t.test("A8: a login proven by name outweighs those who registered its key before", async (t) => {
  const fixture = await setup(t)
  const { client, acme } = fixture
  const [key, passkey] = [newKey(), new Passkey()]
  const users = [userParams("mallory", key)]
  await client.submit(acme.root, "ACTIVITY_TYPE_CREATE_USERS_V3", acme.organizationId, { users })
  await created(fixture, { apiKeys: [apiKey(key)], passkeys: [passkey] })
  const mine = await created(fixture, { apiKeys: [apiKey(key)], passkeys: [passkey] })
  for (const by of [key, passkey]) {
    await client.submit(by, LOGIN, mine.organizationId, { publicKey: newKey().publicKeyHex })
    t.equal(await homeOf(fixture, by), mine.organizationId)
  }
})
