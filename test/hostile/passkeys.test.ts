// B7: invalid passkey registrations, through the boundary.
import t from "tap"
import { fromBinary } from "@bufbuild/protobuf"
import {
  NotarizedDocumentSchema,
  OrganizationDocumentSchema,
} from "../../proto/gen/countersign/state/v1/document_pb.ts"
import type { RefusalName } from "../../signer/core/refusal.ts"
import { userParams, valueOf } from "../harness/api-client.ts"
import { Passkey } from "../harness/authenticator.ts"
import { CborPairs } from "../harness/cbor-writer.ts"
import { newKey } from "../harness/stamper.ts"
import { refused, type Fixture, setup } from "./setup.ts"

const CREATE = "ACTIVITY_TYPE_CREATE_AUTHENTICATORS_V2"
const DELETE = "ACTIVITY_TYPE_DELETE_AUTHENTICATORS"

t.test("B7: a registration that breaks a rule is refused by its code and leaves nothing", async (t) => {
  const fixture = await setup(t, { COUNTERSIGN_SIGNER_MAX_AUTHENTICATORS: "10" })
  const { client, acme } = fixture
  const { organizationId, root, rootUserId: userId } = acme
  const passkey = new Passkey()
  const attempt = (...authenticators: object[]) =>
    client.send(client.body(CREATE, organizationId, { userId, authenticators }), root)
  const good = passkey.create("good")
  const { attestation } = good
  const other = new Passkey().create().attestation
  const packed = new Passkey().sign(Buffer.from("something else"))
  const offCurve = Buffer.from(passkey.publicKey)
  offCurve[offCurve.length - 1]! ^= 1
  const statement = () => new CborPairs(["alg", -7], ["sig", packed])
  const attacks: [RefusalName, string, object][] = [
    ["ATTESTATION_MALFORMED", "bytes behind", passkey.create("x", { extensions: Buffer.of(0) })],
    [
      "ATTESTATION_MALFORMED",
      "no base64url",
      { ...good, attestation: { ...attestation, clientDataJson: "{}" } },
    ],
    [
      "ATTESTATION_CEREMONY_WRONG",
      "an assertion's client data",
      passkey.create("x", { type: "webauthn.get" }),
    ],
    ["ATTESTATION_CEREMONY_WRONG", "no user present", passkey.create("x", { flags: 0x40 })],
    ["ATTESTATION_CHALLENGE_WRONG", "another challenge", { ...good, challenge: "AAAA" }],
    ["ATTESTATION_CREDENTIAL_WRONG", "no credential", passkey.create("x", { flags: 0x01 })],
    [
      "ATTESTATION_CREDENTIAL_WRONG",
      "the id of another",
      { ...good, attestation: { ...attestation, credentialId: other.credentialId } },
    ],
    ["ATTESTATION_KEY_INVALID", "off the curve", passkey.create("x", { publicKey: offCurve })],
    [
      "ATTESTATION_SIGNATURE_INVALID",
      "another signature",
      passkey.create("x", { format: "packed", statement }),
    ],
    ["REQUEST_INVALID", "no attestation", { authenticatorName: "x", challenge: "AAAA" }],
    [
      "REQUEST_INVALID",
      "an unknown transport",
      { ...good, attestation: { ...attestation, transports: ["WIRE"] } },
    ],
  ]
  for (const [code, what, bad] of attacks) {
    await refused(t, fixture, code, () => attempt(bad), what)
    await refused(
      t,
      fixture,
      code,
      () => attempt(new Passkey().create("good"), bad),
      `${what}, behind a good one`,
    )
  }
  await refused(t, fixture, "CREDENTIAL_TAKEN", () => attempt(good, good), "twice in one request")
  t.match(await attempt(good), { is: "outcome" }, "the unaltered twin")
  await refused(t, fixture, "CREDENTIAL_TAKEN", () => attempt(passkey.create("again")), "twice")
  const nine = Array.from({ length: 9 }, () => new Passkey().create())
  t.match(await attempt(...nine), { is: "outcome" })
  await refused(t, fixture, "LIMIT_EXCEEDED", () => attempt(new Passkey().create()), "an eleventh")
})

t.test("B7: the document keeps a passkey's attested values only", async (t) => {
  const fixture = await setup(t)
  const { client, acme } = fixture
  const [ours, theirs] = [new Passkey(), new Passkey({ algorithm: "RS256" })]
  const users = [
    { ...userParams("alice", newKey()), authenticators: [ours.create("one"), theirs.create("two")] },
  ]
  await client.submit(acme.root, "ACTIVITY_TYPE_CREATE_USERS_V4", acme.organizationId, { users })
  const [, alice] = documentOf(fixture).users
  t.match(alice?.authenticators, [
    { name: "one", credentialId: ours.credentialId, publicKey: ours.publicKey, aaguid: ours.aaguid },
    { name: "two", credentialId: theirs.credentialId, publicKey: theirs.publicKey },
  ])
  t.match(alice?.authenticators, [{ attestationType: "none" }, { attestationType: "none" }])
})

t.test("a user manages only their own passkeys and keeps a last credential", async (t) => {
  const fixture = await setup(t)
  const { client, acme } = fixture
  const { organizationId, root } = acme
  const alice = await client.user(acme, "alice")
  const bob = await client.user(acme, "bob")
  const authenticators = [new Passkey().create()]
  const made = await client.submit(alice.key, CREATE, organizationId, {
    userId: alice.userId,
    authenticators,
  })
  const { authenticatorIds } = valueOf(made, "createAuthenticatorsResult")
  const parameters = { userId: alice.userId, authenticatorIds }
  t.equal(await client.refused(bob.key, DELETE, organizationId, parameters), "PERMISSION_DENIED")
  t.equal(
    await client.refused(bob.key, CREATE, organizationId, { userId: alice.userId, authenticators }),
    "PERMISSION_DENIED",
  )
  const elsewhere = { userId: bob.userId, authenticatorIds }
  t.equal(await client.refused(root, DELETE, organizationId, elsewhere), "RESOURCE_UNKNOWN")

  const [apiKey] = documentOf(fixture).users.find(({ userId }) => userId === alice.userId)?.apiKeys ?? []
  const withoutKey = { userId: alice.userId, apiKeyIds: [apiKey?.apiKeyId] }
  await client.submit(root, "ACTIVITY_TYPE_DELETE_API_KEYS", organizationId, withoutKey)
  t.equal(await client.refused(root, DELETE, organizationId, parameters), "LAST_CREDENTIAL")
})

function documentOf({ client, acme }: Pick<Fixture, "client" | "acme">) {
  const { document } = fromBinary(NotarizedDocumentSchema, client.documents.get(acme.organizationId)!)
  return fromBinary(OrganizationDocumentSchema, document)
}
