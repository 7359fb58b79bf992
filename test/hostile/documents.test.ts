import { generateKeyPairSync, sign } from "node:crypto"
import { create, fromBinary, toBinary } from "@bufbuild/protobuf"
import t, { type Test } from "tap"
import {
  NotarizedDocumentSchema,
  type OrganizationDocument,
  OrganizationDocumentSchema,
  UserSchema,
} from "../../proto/gen/countersign/state/v1/document_pb.ts"
import { apiKey, signParams, userParams } from "../harness/api-client.ts"
import { newKey, stampWith } from "../harness/stamper.ts"
import { allRefused, bitFlips, refused, type Fixture, decodesDifferently, setup } from "./setup.ts"

const SIGN = "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2"
const TAG = Buffer.from("countersign/v1/organization-document\0")

function open(notarized: Uint8Array) {
  const { document, signature } = fromBinary(NotarizedDocumentSchema, notarized)
  return { document: fromBinary(OrganizationDocumentSchema, document), bytes: document, signature }
}

function notarized(document: Uint8Array, signature: Uint8Array): Uint8Array {
  return toBinary(NotarizedDocumentSchema, create(NotarizedDocumentSchema, { document, signature }))
}

/** A changed document that the attacker signed, in the notarizer's form. */
function forge(original: Uint8Array, change: (document: OrganizationDocument) => void): Uint8Array {
  const { document } = open(original)
  change(document)
  const bytes = toBinary(OrganizationDocumentSchema, document)
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const key = { key: privateKey, dsaEncoding: "ieee-p1363" } as const
  return notarized(bytes, sign("sha256", Buffer.concat([TAG, bytes]), key))
}

/** A signature by the victim's wallet, decided on the document offered; the honest one is taken at the end. */
function request({ client, acme, address }: Fixture, key = acme.root) {
  const body = client.body(SIGN, acme.organizationId, signParams(address))
  const records = [...client.records.values()]
  return (document: Uint8Array) => client.order(body, stampWith(key, body), { document, records })
}

/** Counter-check: with the honest document the same body is accepted. */
async function honestly(t: Test, fixture: Fixture, attempt: ReturnType<typeof request>): Promise<void> {
  t.match(await attempt(fixture.client.documents.get(fixture.acme.organizationId)!), { is: "outcome" })
}

t.test("A1: refuses a document that an attacker signed and added a user to", async (t) => {
  const fixture = await setup(t)
  const { client, acme } = fixture
  const mallory = newKey()
  const current = client.documents.get(acme.organizationId)!
  const intrude = (document: OrganizationDocument) => {
    const [root] = document.users
    const key = { ...root!.apiKeys[0]!, publicKey: mallory.publicKeyHex }
    document.users.push(create(UserSchema, { ...root!, userId: acme.organizationId, apiKeys: [key] }))
    document.rootQuorum!.userIds.push(acme.organizationId)
  }
  const asMallory = request(fixture, mallory)
  await refused(
    t,
    fixture,
    "DOCUMENT_FORGED",
    () => asMallory(forge(current, intrude)),
    "signed by another key",
  )
  const { document, signature } = open(current)
  intrude(document)
  const injected = notarized(toBinary(OrganizationDocumentSchema, document), signature)
  await refused(t, fixture, "DOCUMENT_FORGED", () => asMallory(injected), "under the true signature")
  await refused(
    t,
    fixture,
    "DOCUMENT_FORGED",
    () => asMallory(notarized(new Uint8Array(0), signature)),
    "empty",
  )
  await refused(t, fixture, "DOCUMENT_FORGED", () => asMallory(Buffer.from("no document")), "no document")
  await refused(t, fixture, "CREDENTIAL_UNKNOWN", () => asMallory(current), "the true document")
  await honestly(t, fixture, request(fixture))
})

t.test("A1: refuses a document with a bit flipped, at every byte", async (t) => {
  const fixture = await setup(t)
  const current = fixture.client.documents.get(fixture.acme.organizationId)!
  const attempt = request(fixture)
  const altered = decodesDifferently(NotarizedDocumentSchema, current, bitFlips(current))
  t.ok(altered.length >= 2 * current.length - 2, "but for the two tags of the wrapping")
  await allRefused(t, fixture, "DOCUMENT_FORGED", altered, attempt)
  await honestly(t, fixture, attempt)
})

t.test("A1: refuses a document cut short, or with signature bytes added or removed", async (t) => {
  const fixture = await setup(t)
  const current = fixture.client.documents.get(fixture.acme.organizationId)!
  const attempt = request(fixture)
  const cuts = Array.from(current, (_, length) => current.subarray(0, length)).slice(1)
  const { bytes, signature } = open(current)
  const signatures = [0, 1, 32, 63].map((length) => notarized(bytes, signature.subarray(0, length)))
  const longer = notarized(bytes, Buffer.concat([signature, Buffer.from([0])]))
  const zeros = notarized(bytes, new Uint8Array(64))
  await allRefused(t, fixture, "DOCUMENT_FORGED", [...cuts, ...signatures, longer, zeros], attempt)
  await honestly(t, fixture, attempt)
})

t.test("A1: refuses every older document, also after a restart", async (t) => {
  const fixture = await setup(t)
  const { boundary, client, acme } = fixture
  const older = [client.documents.get(acme.organizationId)!]
  for (const name of ["alice", "bob"]) {
    await client.user(acme, name)
    older.push(client.documents.get(acme.organizationId)!)
  }
  const current = older.pop()!
  const attempt = request(fixture)
  await allRefused(t, fixture, "DOCUMENT_ROLLED_BACK", older, attempt)
  await boundary.restart()
  await allRefused(t, fixture, "DOCUMENT_ROLLED_BACK", older, attempt)
  t.match(await attempt(new Uint8Array(0)), { is: "needed", needed: { documents: [{}] } })
  t.match(await attempt(current), { is: "outcome" }, "the current one is believed")
})

t.test("A1: refuses the document of another organization", async (t) => {
  const fixture = await setup(t)
  const other = await fixture.client.createOrganization("Other")
  const foreign = fixture.client.documents.get(other.organizationId)!
  const asOther = request(fixture, other.root)
  await refused(t, fixture, "CREDENTIAL_UNKNOWN", () => asOther(foreign), "while the right one is remembered")
  await boundaryStaysClean(t, fixture, asOther)
  await fixture.boundary.restart()
  await refused(t, fixture, "DOCUMENT_OF_ANOTHER_ORGANIZATION", () => asOther(foreign))
  await honestly(t, fixture, request(fixture))
})

t.test("A1: refuses a document of another deployment", async (t) => {
  const fixture = await setup(t)
  const elsewhere = await setup(t)
  const foreign = elsewhere.client.documents.get(elsewhere.acme.organizationId)!
  const asStranger = request(fixture, elsewhere.acme.root)
  await refused(t, fixture, "DOCUMENT_FORGED", () => asStranger(foreign))
  const relabelled = forge(foreign, (document) => {
    document.organizationId = fixture.acme.organizationId
  })
  await refused(t, fixture, "DOCUMENT_FORGED", () => asStranger(relabelled))
  await honestly(t, fixture, request(fixture))
})

t.test("A1: a refused document is not kept for the next order", async (t) => {
  const fixture = await setup(t)
  const { boundary, client, acme } = fixture
  const old = client.documents.get(acme.organizationId)!
  const key = newKey()
  await client.submit(acme.root, "ACTIVITY_TYPE_CREATE_USERS_V4", acme.organizationId, {
    users: [{ ...userParams("alice"), apiKeys: [apiKey(key)] }],
  })
  await boundary.restart()
  const attempt = request(fixture)
  await refused(t, fixture, "DOCUMENT_ROLLED_BACK", () => attempt(old))
  t.match(await attempt(new Uint8Array(0)), { is: "needed", needed: { documents: [{}] } })
})

/** The foreign document is not cached: the next order without a document is decided on the true one. */
async function boundaryStaysClean(t: Test, fixture: Fixture, attempt: ReturnType<typeof request>) {
  await refused(t, fixture, "CREDENTIAL_UNKNOWN", () => attempt(new Uint8Array(0)), "without a document")
}
