// The identities of a document, their digests, and what a document's change enters into the register.
import { create } from "@bufbuild/protobuf"
import { createHmac } from "node:crypto"
import t from "tap"
import {
  type OrganizationDocument,
  OrganizationDocumentSchema,
} from "../../../../../proto/gen/countersign/state/v1/document_pb.ts"
import { runAtOnce } from "../../../../../signer/core/turns/steps.ts"
import {
  IdentityRegister,
  indexShard,
} from "../../../../../signer/enclave/execution/state/identity-register.ts"
import {
  type IdentityTally,
  onlyProven,
  readTally,
  writeTally,
} from "../../../../../signer/enclave/execution/state/identity-tally.ts"
import {
  holdingsOf,
  identitiesOfPasskey,
  identityDigest,
} from "../../../../../signer/enclave/execution/state/identity.ts"
import { OtpType } from "../../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { contactName } from "../../../../../signer/core/otp/user-contact.ts"
import { Passkey } from "../../../../harness/authenticator.ts"

const KEY = new Uint8Array(32).fill(3)
const PARENT = "00000000-0000-4000-8000-000000000001"
const organizationId = "00000000-0000-4000-8000-000000000002"
const publicKey = `02${"11".repeat(32)}`
const apiKey = { apiKeyId: "00000000-0000-7000-8000-00000000000a", publicKey, expiresAtMs: 5n }
const provider = {
  providerId: "00000000-0000-7000-8000-00000000000b",
  issuer: "https://issuer.example",
  audience: "wallet",
  subject: "alice",
}

const passkeyOf = (of: Passkey) => ({
  authenticatorId: "00000000-0000-7000-8000-00000000000c",
  credentialId: of.credentialId,
  publicKey: of.publicKey,
})

const contact = {
  userId: "00000000-0000-7000-8000-00000000000d",
  email: "Ann@example.com",
  emailVerified: true,
}

type Credentials = { apiKeys?: object[]; authenticators?: object[]; oauthProviders?: object[] }

function documentOf(credentials: Credentials, parentId = PARENT): OrganizationDocument {
  return create(OrganizationDocumentSchema, { organizationId, parentId, users: [credentials] })
}

/** Changes of a register whose ledger has these own rows of the sub-organization, by key. */
function changes(
  before: OrganizationDocument | undefined,
  after: OrganizationDocument,
  rows: { [digest: string]: Uint8Array } = {},
  proven?: object,
) {
  const row = (id: string, kind: string, key: string) =>
    id === organizationId && kind === "identity" ? rows[key] : undefined
  return runAtOnce(new IdentityRegister(KEY, { row } as never).changes(before, after, proven as never))
}

/** The tallies after the changes, each from the tally that the parent has before. */
function talliesAfter({ index }: ReturnType<typeof changes>, before: IdentityTally) {
  return index.map(({ update }) => readTally(update?.[0]?.next(writeTally(before))))
}

/** docs/formats/ledger.md: HMAC-SHA256 over parts, each length(4, BE) || bytes. */
function digestOf(...parts: (string | Uint8Array)[]): string {
  const hmac = createHmac("sha256", KEY)
  for (const part of ["countersign/v1/identity", PARENT, ...parts].map((one) => Buffer.from(one))) {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(part.length)
    hmac.update(length).update(part)
  }
  return hmac.digest("hex")
}

const { issuer, audience, subject } = provider
const oidc = { kind: "oidc", issuer, audience, subject } as const

t.test("an identity's digest is a MAC of its parent, its kind and its parts", async (t) => {
  const credentialId = Buffer.from("id of a passkey")
  const rows = [
    [{ kind: "public-key", publicKeyHex: publicKey }, ["public-key", publicKey]],
    [{ kind: "passkey-key", key: "rsa:key" }, ["passkey-key", "rsa:key"]],
    [{ kind: "passkey-rsa", credentialId }, ["passkey-rsa", credentialId]],
    [{ kind: "passkey", credentialId }, ["passkey", credentialId]],
    [oidc, ["oidc", issuer, audience, subject]],
  ] as const
  for (const [identity, parts] of rows)
    t.equal(identityDigest(KEY, PARENT, identity), digestOf(...parts), identity.kind)
  t.equal(indexShard(PARENT, "0123456789"), `${PARENT}#0123`)
})

t.test("every credential of a document is a holding, an RSA or Ed25519 passkey two", async (t) => {
  const [es256, rs256] = [new Passkey(), new Passkey({ algorithm: "RS256" })]
  const document = documentOf({ apiKeys: [apiKey], oauthProviders: [provider] })
  t.strictSame(
    [...holdingsOf(document)],
    [
      {
        identity: { kind: "public-key", publicKeyHex: publicKey },
        credentialId: apiKey.apiKeyId,
        expiresMs: 5n,
      },
      { identity: oidc, credentialId: provider.providerId, expiresMs: 0n },
    ],
  )
  const kindsOf = (of: Passkey) => identitiesOfPasskey(of).map(({ kind }) => kind)
  t.strictSame(kindsOf(es256), ["passkey-key"])
  t.strictSame(kindsOf(rs256), ["passkey-key", "passkey-rsa"])
  t.strictSame(kindsOf(new Passkey({ algorithm: "EdDSA" })), ["passkey-key", "passkey-rsa"])
})

t.test("a sub-organization enters its identities, an OpenID Connect identity as proven", async (t) => {
  const { index, put, remove } = changes(
    undefined,
    documentOf({ apiKeys: [apiKey], oauthProviders: [provider] }),
  )
  const digests = [digestOf("public-key", publicKey), digestOf("oidc", issuer, audience, subject)]
  t.strictSame(
    index.map(({ shard }) => shard),
    digests.map((digest) => indexShard(PARENT, digest)),
  )
  const tallies = index.map(({ update }) => readTally(update?.[0]?.next(undefined)))
  t.match(tallies, [
    { since: apiKey.apiKeyId, created: 1n, first: organizationId, expiresMs: 5n, added: 0n, proven: 0n },
    { since: provider.providerId, created: 1n, first: organizationId, expiresMs: 0n, added: 0n, proven: 1n },
  ])
  t.strictSame(
    put,
    [{ kind: "identity", key: digests[1], value: Uint8Array.of(2) }],
    "a created and unproven hold needs no row",
  )
  t.strictSame(remove, [])
})

t.test("an organization without parent enters nothing, and neither does a document that stays", async (t) => {
  const none = { index: [], put: [], remove: [] }
  t.strictSame(changes(undefined, documentOf({ apiKeys: [apiKey] }, "")), none)
  const document = documentOf({ authenticators: [passkeyOf(new Passkey())] })
  t.strictSame(changes(document, document), none, "though it could move to its present form")
})

t.test("a passkey that was entered by its id moves with the next change, as created", async (t) => {
  const passkey = new Passkey()
  const authenticators = [passkeyOf(passkey)]
  const { index, put, remove } = changes(
    documentOf({ authenticators }),
    documentOf({ authenticators, apiKeys: [apiKey] }),
  )
  const byId = digestOf("passkey", passkey.credentialId)
  const [identity] = identitiesOfPasskey(passkey)
  const byKey = identityDigest(KEY, PARENT, identity!)
  t.strictSame(remove, [{ kind: "identity", key: byId }])
  t.strictSame(
    index.map(({ update }) => update?.[0]?.key),
    [byId, digestOf("public-key", publicKey), byKey],
  )
  t.strictSame(
    put.toSorted((one, other) => one.value[0]! - other.value[0]!),
    [
      { kind: "identity", key: byKey, value: Uint8Array.of(0) },
      { kind: "identity", key: digestOf("public-key", publicKey), value: Uint8Array.of(1) },
    ],
  )
})

const byKey = digestOf("public-key", publicKey)
const ADDED = Uint8Array.of(1)
const PROVEN = Uint8Array.of(2)
const ADDED_AND_PROVEN = Uint8Array.of(3)
const one = { apiKeys: [apiKey] }
const provenIds = Buffer.from(organizationId.replaceAll("-", ""), "hex")
const held = { ...readTally(undefined), since: organizationId, created: 2n, added: 2n, proven: 1n, provenIds }

t.test("a credential that is removed leaves the tally by the hold that it had", async (t) => {
  const counts = { created: 2n, added: 2n, proven: 1n }
  const rows = [
    [undefined, { ...counts, created: 1n }],
    [new Uint8Array(0), { ...counts, created: 1n }],
    [ADDED, { ...counts, added: 1n }],
    [PROVEN, { ...counts, created: 1n, proven: 0n }],
    [ADDED_AND_PROVEN, { ...counts, added: 1n, proven: 0n }],
  ] as const
  for (const [row, expected] of rows) {
    const left = changes(documentOf(one), documentOf({}), row && { [byKey]: row })
    t.match(talliesAfter(left, held), [expected], `row ${row?.[0]}`)
    t.strictSame(left.remove, [{ kind: "identity", key: byKey }])
    t.strictSame(left.put, [])
    const stays = changes(documentOf(one), documentOf(one), row && { [byKey]: row })
    t.strictSame(stays, { index: [], put: [], remove: [] }, "what stays keeps its hold")
  }
})

t.test("a login that names the sub-organization proves its credential, once", async (t) => {
  const document = documentOf(one)
  const added = { ...held, proven: 0n, provenIds: new Uint8Array(16) }
  for (const [before, after] of [
    [undefined, PROVEN],
    [ADDED, ADDED_AND_PROVEN],
  ] as const) {
    const proof = changes(document, document, before && { [byKey]: before }, { apiKey })
    t.match(talliesAfter(proof, added), [{ created: 2n, added: 2n, proven: 1n }])
    t.equal(onlyProven(talliesAfter(proof, added)[0]!), organizationId)
    t.strictSame(proof.put, [{ kind: "identity", key: byKey, value: after }])
    t.strictSame(proof.remove, [])
    const again = changes(document, document, { [byKey]: after }, { apiKey })
    t.strictSame(again, { index: [], put: [], remove: [] })
  }
})

t.test("a login by passkey proves its key, and its id where the key cannot be computed", async (t) => {
  for (const algorithm of ["ES256", "EdDSA", "RS256"] as const) {
    const authenticator = passkeyOf(new Passkey({ algorithm }))
    const document = documentOf({ authenticators: [authenticator], ...one })
    const digests = identitiesOfPasskey(authenticator).map((each) => identityDigest(KEY, PARENT, each))
    const rows = Object.fromEntries(digests.map((digest) => [digest, Uint8Array.of(0)]))
    const proof = changes(document, document, rows, { authenticator })
    t.strictSame(
      proof.put,
      digests.map((key) => ({ kind: "identity", key, value: PROVEN })),
    )
  }
})

t.test("a credential that is added enters as added, and an OpenID Connect identity as proven", async (t) => {
  const entered = changes(documentOf({}), documentOf({ ...one, oauthProviders: [provider] }))
  t.match(talliesAfter(entered, readTally(undefined)), [
    { since: apiKey.apiKeyId, created: 0n, added: 1n, proven: 0n },
    { since: provider.providerId, created: 0n, added: 1n, proven: 1n },
  ])
  t.strictSame(
    entered.put.map(({ value }) => value),
    [ADDED, ADDED_AND_PROVEN],
  )
  const login = changes(documentOf({}), documentOf(one), {}, { apiKey })
  t.match(talliesAfter(login, readTally(undefined)), [{ added: 1n, proven: 1n }])
})

t.test("a contact enters once it is proven, and leaves with its proof", async (t) => {
  const name = contactName({ channel: OtpType.EMAIL, contact: "ann@example.com" })
  const digest = digestOf("contact", name)
  const unproven = documentOf({ ...contact, emailVerified: false } as Credentials)
  const proven = documentOf(contact as Credentials)
  t.same([...holdingsOf(unproven)], [])
  t.match([...holdingsOf(proven)], [{ identity: { kind: "contact", name }, credentialId: contact.userId }])
  const none = { index: [], put: [], remove: [] }
  t.same(changes(undefined, unproven), none)
  const entered = changes(unproven, proven)
  t.match(entered.put, [{ kind: "identity", key: digest }])
  t.same([...entered.put[0]!.value], [3], "added, and proven")
  t.match(entered.index, [{ shard: indexShard(PARENT, digest) }])
  const tally = readTally(entered.index[0]!.update![0]!.next(undefined))
  t.equal(onlyProven(tally), organizationId)
  const rows = { [digest]: Uint8Array.of(3) }
  t.same(changes(proven, proven, rows), none)
  const left = changes(proven, unproven, rows)
  t.same(left.remove, [{ kind: "identity", key: digest }])
  t.equal(left.index[0]!.update![0]!.next(writeTally(tally)), undefined)
  t.same(changes(proven, unproven), none, "one that never entered does not leave")
  t.match(changes(proven, documentOf({ ...contact, name: "x" } as Credentials)).put, [{ key: digest }])
})
