// Passkeys at the API tier: queries are authenticated here, submits go on to the signer.
import { createHash } from "node:crypto"
import { create } from "@bufbuild/protobuf"
import t from "tap"
import { AuthenticatorTransport, FeatureName } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { AuthenticatorSchema, UserSchema } from "../../../../proto/gen/countersign/state/v1/document_pb.ts"
import { readPasskeyStamp } from "../../../../signer/core/stamp/read-stamp.ts"
import { requireStampByCredential } from "../../../../signer/core/stamp/verify.ts"
import { type Departure, Passkey } from "../../../harness/authenticator.ts"
import { type DocumentParts, nextId, ORGANIZATION_ID, storeOrganization, user } from "../documents.ts"
import { signBody, signed } from "../prepared.ts"
import { type Json, startApi } from "../start-api.ts"
import { makeKey } from "../stamps.ts"

const passkeys = {
  alice: new Passkey(),
  rsa: new Passkey({ algorithm: "RS256" }),
  ed25519: new Passkey({ algorithm: "EdDSA" }),
  child: new Passkey(),
  shared: new Passkey(),
}
const key = makeKey()
const api = await startApi(t)
const alice = holder("alice", passkeys.alice, passkeys.rsa)
const features = [{ name: FeatureName.WEBAUTHN_ORIGINS, value: "https://example.org" }]
await storeOrganization(api.sql, {
  users: [alice],
  rootQuorum: { threshold: 1, userIds: [alice.userId] },
  features,
})
const [first, second] = [
  await child({ users: [holder("carol", passkeys.child), holder("dave", passkeys.shared)] }),
  await child({ users: [holder("erin", passkeys.shared)] }),
]

function holder(name: string, ...held: Passkey[]) {
  const authenticators = held.map((passkey) =>
    create(AuthenticatorSchema, {
      authenticatorId: nextId(),
      name: `${name}'s passkey`,
      credentialId: passkey.credentialId,
      publicKey: passkey.publicKey,
      aaguid: passkey === passkeys.rsa ? Buffer.alloc(16) : passkey.aaguid,
      attestationType: "none",
      rpIdHash: createHash("sha256").update(passkey.rpId).digest(),
      transports: [AuthenticatorTransport.INTERNAL],
    }),
  )
  return create(UserSchema, { ...user(name, key), apiKeys: [], authenticators })
}

async function child(parts: DocumentParts): Promise<string> {
  const organizationId = nextId()
  // A sub-organization's own setting does not apply.
  const own = [{ name: FeatureName.WEBAUTHN_ORIGINS, value: "https://evil.example" }]
  await storeOrganization(api.sql, { organizationId, parentId: ORGANIZATION_ID, features: own, ...parts })
  return organizationId
}

function post(path: string, body: string, passkey: Passkey, departure: Departure = {}) {
  const headers = { "x-stamp-webauthn": passkey.stamp(body, departure) }
  return api.send(`/public/v1/${path}`, { method: "POST", body, headers })
}
const ask = (path: string, passkey: Passkey, departure: Departure = {}, parameters: object = {}) =>
  post(
    `query/${path}`,
    JSON.stringify({ organizationId: ORGANIZATION_ID, ...parameters }),
    passkey,
    departure,
  )

t.test("a passkey stamps a query, and is shown with its model", async (t) => {
  t.match(await ask("whoami", passkeys.alice), { status: 200, json: { username: "alice" } })
  t.match(await ask("whoami", passkeys.rsa), { status: 200, json: { username: "alice" } })
  const { json } = await ask("get_authenticators", passkeys.alice, {}, { userId: alice.userId })
  const [ours, theirs] = json["authenticators"] as [Json, Json]
  t.match(ours, {
    transports: ["AUTHENTICATOR_TRANSPORT_INTERNAL"],
    attestationType: "none",
    aaguid: passkeys.alice.aaguid.toString("base64url"),
    credentialId: passkeys.alice.credentialIdText,
    model: "iCloud Keychain",
    credential: {
      publicKey: passkeys.alice.publicKey.toString("base64url"),
      type: "CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR",
    },
    authenticatorName: "alice's passkey",
  })
  t.equal(theirs["model"], "Security key", "a model that tells nothing about itself")
  const { authenticatorId } = ours
  const one = await ask("get_authenticator", passkeys.alice, {}, { authenticatorId })
  t.strictSame(one.json, { authenticator: ours })
  const none = await ask("get_authenticator", passkeys.alice, {}, { authenticatorId: nextId() })
  t.match(none, { status: 404, json: { message: /webauthn authenticator not found in organization/ } })
})

t.test("refused before the signer is asked", async (t) => {
  const cases: [string, Passkey, Departure, string, RegExp][] = [
    [
      "a passkey that nobody holds",
      new Passkey(),
      {},
      "CREDENTIAL_NOT_FOUND",
      /credential ID could not be found/,
    ],
    [
      "another key",
      passkeys.alice,
      { signer: new Passkey().privateKey },
      "SIGNATURE_INVALID",
      /could not verify WebAuthN/,
    ],
    ["another challenge", passkeys.alice, { challenge: "AAAA" }, "SIGNATURE_INVALID", /another challenge/],
    ["no user present", passkeys.alice, { flags: 0 }, "SIGNATURE_INVALID", /no user was present/],
    ["another relying party", passkeys.alice, { rpId: "evil.example" }, "SIGNATURE_INVALID", /relying party/],
  ]
  for (const [what, passkey, departure, turnkeyErrorCode, message] of cases) {
    const refusal = { status: 401, json: { code: 16, turnkeyErrorCode, message } }
    t.match(await ask("whoami", passkey, departure), refusal, `${what}: query`)
    t.match(
      await post("submit/sign_raw_payload", signBody(what), passkey, departure),
      refusal,
      `${what}: submit`,
    )
  }
  t.equal(api.signer.orders.length, 0)
})

t.test("queries are answered for origins that the top-level organization allows", async (t) => {
  const evil = { origin: "https://evil.example" }
  const refusal = { status: 401, json: { message: /does not allow passkeys from this origin/ } }
  t.match(await ask("whoami", passkeys.alice, evil), refusal)
  const below = { organizationId: first }
  t.match(await ask("whoami", passkeys.child, {}, below), { status: 200, json: { username: "carol" } })
  t.match(await ask("whoami", passkeys.child, evil, below), refusal)
  t.match(await ask("whoami", passkeys.alice, evil, below), refusal, "a parent's user below")
})

t.test("submits go to the signer, which knows the current origins", async (t) => {
  api.signer.answers.push(signed(alice.userId))
  const body = signBody("on another page")
  const reply = await post("submit/sign_raw_payload", body, passkeys.alice, { origin: "https://new.example" })
  t.equal(reply.status, 200)
  t.match(JSON.parse(api.signer.orders.at(-1)?.xStampWebauthn ?? ""), {
    credentialId: passkeys.alice.credentialIdText,
  })
  const [vote] = (reply.json["activity"] as { votes: Json[] }).votes
  t.match(vote, { scheme: "SIGNATURE_SCHEME_TK_WEBAUTHN", message: body })
  const publicKey = Buffer.from(String(vote?.["publicKey"]), "base64url")
  const rpIdHash = createHash("sha256").update("example.org").digest()
  const shown = readPasskeyStamp(String(vote?.["signature"]))
  const terms = { nowMs: 0, origins: () => undefined }
  t.doesNotThrow(() =>
    requireStampByCredential({ authenticator: { publicKey, rpIdHash } }, shown, Buffer.from(body), terms),
  )
})

t.test(
  "a caller who names only the parent is found by credential id if one organization has it",
  async (t) => {
    t.match(await ask("whoami", passkeys.child), {
      status: 200,
      json: { organizationId: first, username: "carol" },
    })
    t.match(await ask("whoami", passkeys.shared), {
      status: 401,
      json: {
        turnkeyErrorCode: "CREDENTIAL_CONFLICT",
        message: "more than one suborg associated with a credential ID",
      },
    })
    const named = await ask("whoami", passkeys.shared, {}, { organizationId: second })
    t.match(
      named,
      { status: 200, json: { username: "erin" } },
      "a caller who names their organization is found there",
    )
  },
)
