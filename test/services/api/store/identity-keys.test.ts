import { create } from "@bufbuild/protobuf"
import t from "tap"
import { OrganizationDocumentSchema } from "../../../../proto/gen/countersign/state/v1/document_pb.ts"
import { identitiesOf, identityKey, IdentityKind } from "../../../../services/api/store/identity-keys.ts"

const KEY = `02${"ab".repeat(32)}`
const claims = { issuer: "https://issuer.example", audience: "app", subject: "alice" }
const user = {
  userId: "u",
  name: "Alice",
  email: "Alice@Example.com",
  phoneNumber: "+15555550100",
  apiKeys: [{ publicKey: KEY }],
  authenticators: [{ credentialId: Uint8Array.of(1, 2, 250) }],
  oauthProviders: [claims],
}

t.test("finds an organization by its name and by all identities of its users", async (t) => {
  const document = create(OrganizationDocumentSchema, { name: "Acme", users: [user] })
  const [verified, onlyLoginMethod] = [false, false]
  t.same(identitiesOf(document), [
    { ...identityKey.organizationName("Acme"), verified, onlyLoginMethod },
    { ...identityKey.userName("Alice"), verified, onlyLoginMethod },
    { ...identityKey.email("alice@example.com"), verified, onlyLoginMethod },
    { ...identityKey.phoneNumber("+15555550100"), verified, onlyLoginMethod },
    { ...identityKey.publicKey(KEY), verified, onlyLoginMethod },
    { ...identityKey.credentialId(Uint8Array.of(1, 2, 250)), verified, onlyLoginMethod },
    { ...identityKey.oidc(claims), verified, onlyLoginMethod },
  ])
  t.same(
    identitiesOf(create(OrganizationDocumentSchema, { name: "A" })).map(({ kind }) => kind),
    [IdentityKind.organizationName],
  )
})

t.test("a contact of two users is listed once, verified if one of them verified it", async (t) => {
  const proven = { name: "Bob", email: "ALICE@example.com", emailVerified: true, phoneNumberVerified: true }
  for (const users of [
    [user, proven],
    [proven, user],
  ]) {
    const found = identitiesOf(create(OrganizationDocumentSchema, { name: "Acme", users }))
    t.same(
      found.filter(({ kind }) => kind === IdentityKind.email),
      [{ ...identityKey.email("alice@example.com"), verified: true, onlyLoginMethod: false }],
    )
    t.same(found.filter(({ verified }) => verified).length, 1, "a number that is not there is not verified")
  }
})

t.test(
  "a contact is the only login method of one user with neither credentials nor another contact",
  async (t) => {
    const onlyWays = (...users: object[]) => onlyWaysOf({ users })
    const onlyWaysOf = (members: object) =>
      identitiesOf(create(OrganizationDocumentSchema, { name: "Acme", ...members }))
        .filter((identity) => identity.onlyLoginMethod)
        .map(({ kind, digest }) => ({ kind, digest }))
    const mail = { userId: "u", name: "Alice", email: "Alice@Example.com" }
    const number = { userId: "u", name: "Alice", phoneNumber: "+15555550100" }
    t.same(onlyWays(mail), [identityKey.email("alice@example.com")])
    t.same(onlyWays(number), [identityKey.phoneNumber("+15555550100")])
    for (const others of [
      { ...mail, ...number },
      { ...mail, apiKeys: user.apiKeys },
      { ...mail, authenticators: user.authenticators },
      { ...mail, oauthProviders: user.oauthProviders },
      { userId: "u", name: "Alice" },
    ])
      t.same(onlyWays(others), [])
    t.same(onlyWays(mail, { userId: "v", name: "Bob" }), [], "two users")
    t.same(onlyWaysOf({ users: [mail], previousDigest: new Uint8Array(32) }), [], "changed since it was made")
  },
)

t.test("a deleted organization has no identities", async (t) => {
  t.same(
    identitiesOf(create(OrganizationDocumentSchema, { name: "Acme", users: [user], deletedAtMs: 1n })),
    [],
  )
})

t.test("canonical forms", async (t) => {
  const same = (a: { digest: Uint8Array }, b: { digest: Uint8Array }) =>
    Buffer.from(a.digest).equals(b.digest)
  t.ok(same(identityKey.email("A.B@Example.COM"), identityKey.email("a.b@example.com")))
  t.notOk(same(identityKey.email("a.b@example.com"), identityKey.email("ab@example.com")), "dots count")
  const kelvin = "\u212a"
  t.notOk(
    same(identityKey.email(`mi${kelvin}e@example.com`), identityKey.email("mike@example.com")),
    "Kelvin sign",
  )
  t.notOk(same(identityKey.email("É@example.com"), identityKey.email("é@example.com")), "beyond ASCII")
  t.ok(same(identityKey.publicKey(KEY.toUpperCase()), identityKey.publicKey(KEY)))
  t.notOk(same(identityKey.userName("Alice"), identityKey.userName("alice")))
  const google = { ...claims, issuer: "accounts.google.com" }
  t.ok(same(identityKey.oidc(google), identityKey.oidc({ ...google, issuer: "https://accounts.google.com" })))
  for (const other of [{ issuer: "https://other.example" }, { audience: "other" }, { subject: "bob" }])
    t.notOk(same(identityKey.oidc({ ...claims, ...other }), identityKey.oidc(claims)))
  const [shifted, plain] = [
    { ...claims, audience: 'a","b', subject: "c" },
    { ...claims, audience: "a", subject: 'b","c' },
  ]
  t.notOk(same(identityKey.oidc(shifted), identityKey.oidc(plain)), "claims do not run into each other")
})
