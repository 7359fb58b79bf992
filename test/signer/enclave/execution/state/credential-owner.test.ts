import { create } from "@bufbuild/protobuf"
import t from "tap"
import { CredentialType } from "../../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { OrganizationDocumentSchema } from "../../../../../proto/gen/countersign/state/v1/document_pb.ts"
import { Organization } from "../../../../../signer/core/organization/organization.ts"
import { passkeyName } from "../../../../../signer/core/webauthn/credential-id.ts"
import {
  approvalOf,
  createdAtMsOf,
  type CredentialOwner,
  findOwner,
  openedByOf,
  sessionScopeOf,
} from "../../../../../signer/enclave/execution/state/credential-owner.ts"
import { ORGANIZATION } from "./records-fixture.ts"

const credentialId = Uint8Array.of(7)
const scope = { sessionProfileId: "profile" }
const type = CredentialType.LOGIN

/** An organization whose user has an API key, a passkey and sessions; one session's user is gone. */
function setup() {
  const apiKey = { apiKeyId: "api key", publicKey: "02aa", createdAtMs: 5n }
  const authenticator = { authenticatorId: "passkey", credentialId, createdAtMs: 6n }
  const users = [{ userId: "user", apiKeys: [apiKey], authenticators: [authenticator] }]
  const document = create(OrganizationDocumentSchema, { organizationId: ORGANIZATION, users })
  const organization = new Organization(document, new Uint8Array(32), 0)
  const session = { userId: "user", type, publicKey: "02bb", createdAtMs: 7n, openedBy: "02aa" }
  const sessions = new Map<string, object>([
    ["02aa", { ...session, id: "of the API key" }],
    ["02bb", { ...session, id: "session" }],
    ["02cc", { ...session, id: "scoped", scope }],
    ["02dd", { ...session, id: "orphan", userId: "removed" }],
  ])
  const find = (id: string, key: string) => (id === ORGANIZATION ? sessions.get(key) : undefined)
  return (name: string) => findOwner(organization, name, { find } as never)
}

const ownerOf = (name: string): CredentialOwner => setup()(name)!
const passkey = () => ownerOf(passkeyName(credentialId))

t.test("A5: a key's owner is the user of the document's credential, else of the session", async (t) => {
  const find = setup()
  t.match(find("02aa"), { user: { userId: "user" }, apiKey: { apiKeyId: "api key" } })
  t.match(passkey(), { user: { userId: "user" }, authenticator: { authenticatorId: "passkey" } })
  t.match(find("02bb"), { user: { userId: "user" }, apiKey: { id: "session" } })
  t.equal(find("02dd"), undefined, "a removed user has no session")
  t.equal(find("02ee"), undefined)
})

t.test("a credential's creation, scope and approval are those of its kind", async (t) => {
  t.equal(createdAtMsOf(ownerOf("02aa")), 5)
  t.equal(createdAtMsOf(passkey()), 6)
  t.equal(createdAtMsOf(ownerOf("02bb")), 7)
  for (const owner of [ownerOf("02aa"), passkey(), ownerOf("02bb")]) t.equal(sessionScopeOf(owner), undefined)
  t.same(sessionScopeOf(ownerOf("02cc")), scope)
  const credentials = [ownerOf("02aa"), passkey(), ownerOf("02bb"), ownerOf("02cc")].map((owner) => {
    const { user, credentials: own } = approvalOf(owner)
    t.equal(user, owner.user)
    return own
  })
  t.match(credentials, [
    [{ id: "api key", publicKey: "02aa", isSession: false, openedBy: "" }],
    [{ id: "passkey", credentialId: "Bw", isSession: false }],
    [{ id: "session", type: "CREDENTIAL_TYPE_LOGIN", isSession: true, profileId: "", openedBy: "02aa" }],
    [{ id: "scoped", isSession: true, profileId: "profile" }],
  ])
})

t.test("a session is opened by the key of its first login, and by no passkey", async (t) => {
  t.equal(openedByOf(ownerOf("02aa")), "02aa")
  t.equal(openedByOf(ownerOf("02bb")), "02aa")
  t.equal(openedByOf(passkey()), "")
})
