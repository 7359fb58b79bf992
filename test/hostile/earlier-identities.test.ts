// A8: identities that an earlier version entered: tallies of 48 bytes, empty own rows, passkeys by their credential ids.
import t from "tap"
import { apiKey, outcomeOf } from "../harness/api-client.ts"
import { Passkey } from "../harness/authenticator.ts"
import { newKey, type StampHeader, type Stamper } from "../harness/stamper.ts"
import { type Identity, identityDigest } from "../../signer/enclave/execution/state/identity.ts"
import { indexShard } from "../../signer/enclave/execution/state/identity-register.ts"
import { created, homeOf, LOGIN, loginBody } from "./family-fixture.ts"
import { type Fixture, refused, setup } from "./setup.ts"

/** Rewrites the only hold on an identity as an earlier version wrote it; `was`: the row of the present version. */
async function enterAsBefore(
  { boundary, acme }: Fixture,
  organizationId: string,
  { identity, was, isProven }: { identity: Identity; was: Identity; isProven: boolean },
): Promise<void> {
  const { ledger, keyring } = boundary.signer.state()
  const digestOf = (one: Identity) => identityDigest(keyring.identity, acme.organizationId, one)
  const [key, present] = [digestOf(identity), digestOf(was)]
  const tally = Buffer.alloc(48)
  tally.writeBigUInt64BE(1n, isProven ? 24 : 0)
  tally.set(Buffer.from(organizationId.replaceAll("-", ""), "hex"), isProven ? 32 : 8)
  const head = ledger.head(organizationId)!
  const put = isProven ? [{ kind: "identity" as const, key, value: new Uint8Array(0) }] : []
  const kind = "identity" as const
  await ledger.commit(
    [{ organizationId, expect: head, head, put, remove: [{ kind, key: present }] }],
    [
      {
        shard: indexShard(acme.organizationId, present),
        update: [{ kind, key: present, next: () => undefined }],
      },
      { shard: indexShard(acme.organizationId, key), put: [{ kind, key, value: tally }] },
    ],
  )
}

const LEFT = "ACTIVITY_TYPE_DELETE_SUB_ORGANIZATION"

for (const isProven of [false, true]) {
  t.test(`A8: a key entered before, ${isProven ? "with" : "without"} a login, is where it was`, async (t) => {
    const fixture = await setup(t)
    const { client } = fixture
    const key = newKey()
    const { organizationId } = await created(fixture, { apiKeys: [apiKey(key)] })
    const identity = { kind: "public-key", publicKeyHex: key.publicKeyHex } as const
    await enterAsBefore(fixture, organizationId, { identity, was: identity, isProven })
    t.equal(await homeOf(fixture, key), organizationId)
    const later = await created(fixture, { apiKeys: [apiKey(key)] })
    t.equal(await homeOf(fixture, key), organizationId, "after another has come")
    await name(fixture, later.organizationId, key)
    t.equal(await homeOf(fixture, key), later.organizationId, "after a login that named the other")
    await client.submit(key, LEFT, organizationId, { deleteWithoutExport: true })
    await client.submit(key, LEFT, later.organizationId, { deleteWithoutExport: true })
    await refused(t, fixture, "CREDENTIAL_UNKNOWN", () => login(fixture, key), "both have left the register")
  })
}

for (const algorithm of ["ES256", "EdDSA", "RS256"] as const) {
  t.test(`A8: an ${algorithm} passkey entered before by its id is found, and moves to its key`, async (t) => {
    const fixture = await setup(t)
    const { client } = fixture
    const [passkey, key] = [new Passkey({ algorithm }), newKey()]
    const mine = await created(fixture, { passkeys: [passkey], apiKeys: [apiKey(key)] })
    const { credentialId } = passkey
    const was = keyIdentity(passkey)
    await enterAsBefore(fixture, mine.organizationId, {
      identity: { kind: "passkey", credentialId },
      was,
      isProven: true,
    })
    t.equal(await homeOf(fixture, passkey), mine.organizationId)
    const renamed = new Passkey({ keyFrom: passkey })
    await created(fixture, { passkeys: [renamed] })
    t.equal(await homeOf(fixture, passkey), mine.organizationId, "after another has come")

    await name(fixture, mine.organizationId, key)
    const body = loginBody(fixture)
    const exchanged: StampHeader = {
      xStampWebauthn: JSON.stringify({
        ...(JSON.parse(passkey.stamp(body)) as object),
        credentialId: renamed.credentialIdText,
      }),
    }
    const code = algorithm === "ES256" ? "PASSKEY_UNKNOWN" : "CREDENTIAL_CONFLICT"
    await refused(
      t,
      fixture,
      code,
      () => client.offer(body, exchanged),
      "after its organization's next login",
    )
    t.equal(await homeOf(fixture, passkey), mine.organizationId)
    const { register } = fixture.boundary.signer.state()
    const tally = (identity: Identity) => register.tally(fixture.acme.organizationId, identity)
    t.match(tally(was), { created: 2n, first: mine.organizationId })
    t.match(tally({ kind: "passkey", credentialId }), { created: 0n })
  })
}

function keyIdentity(passkey: Passkey): Identity {
  const { n, x = "", y = "" } = passkey.privateKey.export({ format: "jwk" })
  if (n !== undefined) return { kind: "passkey-key", key: `rsa:${n}` }
  if (y === "") return { kind: "passkey-key", key: `ed25519:${x}` }
  const isOdd = Buffer.from(y, "base64url").at(-1)! % 2 === 1
  return { kind: "passkey-key", key: `0${isOdd ? 3 : 2}${Buffer.from(x, "base64url").toString("hex")}` }
}

async function name({ client }: Fixture, organizationId: string, by: Stamper): Promise<void> {
  outcomeOf(await client.send(client.body(LOGIN, organizationId, { publicKey: newKey().publicKeyHex }), by))
}

function login(fixture: Fixture, by: Stamper) {
  return fixture.client.send(loginBody(fixture), by)
}
