import { createHash } from "node:crypto"
import { create, type MessageInitShape } from "@bufbuild/protobuf"
import t from "tap"
import { Authority } from "../../../../../proto/gen/countersign/api/v1/options_pb.ts"
import { FeatureName } from "../../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { OrganizationDocumentSchema } from "../../../../../proto/gen/countersign/state/v1/document_pb.ts"
import {
  governingOf,
  locate,
  requireOwner,
} from "../../../../../signer/enclave/execution/steps/authenticate.ts"
import type { SuppliedDocuments } from "../../../../../signer/enclave/execution/state/organizations.ts"
import type { CurrentSessions } from "../../../../../signer/enclave/execution/state/sessions.ts"
import { Organization } from "../../../../../signer/core/organization/organization.ts"
import { readPasskeyStamp } from "../../../../../signer/core/stamp/read-stamp.ts"
import { type Departure, Passkey } from "../../../../harness/authenticator.ts"
import { refusal } from "../../organization/drafts.ts"

const passkey = new Passkey()
const authenticator = {
  credentialId: passkey.credentialId,
  publicKey: passkey.publicKey,
  rpIdHash: createHash("sha256").update(passkey.rpId).digest(),
}
const sessions = { find: () => undefined } as unknown as CurrentSessions
const body = Buffer.from("{}")
const setting = (value: string) => [{ name: FeatureName.WEBAUTHN_ORIGINS, value }]

function organizationWith(init: MessageInitShape<typeof OrganizationDocumentSchema>): Organization {
  const users = [{ userId: "alice", authenticators: [authenticator] }]
  return new Organization(create(OrganizationDocumentSchema, { users, ...init }), new Uint8Array(32), 0)
}

function stamping(organization: Organization, departure: Departure = {}, parent?: Organization) {
  const stamp = readPasskeyStamp(passkey.stamp(body, departure))
  const openParent = () => {
    if (parent === undefined) throw new Error("the parent was opened")
    return parent
  }
  const governing = governingOf(organization, {} as SuppliedDocuments, { openRelated: openParent })
  return () => requireOwner({ stamp, body, timestampMs: 0 }, organization, sessions, 0, governing)
}

t.test("returns the passkey with its user, for any origin while no origin is set", async (t) => {
  const holder = stamping(organizationWith({}), { origin: "https://anywhere.example" })()
  t.match(holder, { user: { userId: "alice" }, authenticator: { credentialId: passkey.credentialId } })
})

t.test("B7: a passkey stamps only on pages of an allowed origin when origins are set", async (t) => {
  const wrong = refusal("STAMP_ORIGIN_WRONG")
  const organization = organizationWith({ features: setting("https://example.org") })
  t.doesNotThrow(stamping(organization))
  t.throws(stamping(organization, { origin: "https://evil.example" }), wrong)
  t.throws(stamping(organization, { more: { crossOrigin: true } }), wrong, "a frame")
  t.throws(
    stamping(organizationWith({ features: setting("no origin") })),
    wrong,
    "an unreadable value allows no origin",
  )
})

t.test("B7: a sub-organization has its parent's origins, not its own", async (t) => {
  const parent = organizationWith({ users: [], features: setting("https://example.org") })
  const child = organizationWith({ parentId: "parent", features: setting("https://evil.example") })
  t.doesNotThrow(stamping(child, {}, parent))
  const wrong = refusal("STAMP_ORIGIN_WRONG")
  t.throws(stamping(child, { origin: "https://evil.example" }, parent), wrong)
  const anywhere = organizationWith({ users: [] })
  t.doesNotThrow(stamping(child, { origin: "https://else.example" }, anywhere), "the parent has set nothing")
})

t.test("refuses a passkey of the parent with ORGANIZATION_MISMATCH", async (t) => {
  const child = organizationWith({ parentId: "parent", users: [] })
  t.throws(stamping(child, {}, organizationWith({})), refusal("ORGANIZATION_MISMATCH", "organizationId"))
  t.throws(stamping(child, {}, organizationWith({ users: [] })), refusal("PASSKEY_UNKNOWN"))
})

t.test("a body stamped over five minutes before its credential was registered is refused", async (t) => {
  const MINUTES_MS = 60_000
  const at = (createdAtMs: number) => {
    const authenticators = [{ ...authenticator, createdAtMs: BigInt(createdAtMs) }]
    return stamping(organizationWith({ users: [{ userId: "alice", authenticators }] }))
  }
  t.doesNotThrow(at(5 * MINUTES_MS))
  t.throws(at(5 * MINUTES_MS + 1), refusal("CREDENTIAL_NEWER_THAN_REQUEST", "timestampMs"))
})

t.test(
  "a request is for the organization that its body names, and so is a login that names its own",
  async (t) => {
    const supplied = {} as SuppliedDocuments
    const located = (authority: Authority, named: Organization) => {
      const request = { organizationId: "named", activity: { authority } }
      const deps = { organizations: { openCurrent: () => named } }
      return () => locate(request as never, supplied, deps as never)
    }
    const child = organizationWith({ parentId: "parent" })
    t.equal(located(Authority.LOGIN, child)(), child)
    const parent = organizationWith({})
    t.equal(located(Authority.POLICIES, parent)(), parent)
    t.throws(located(Authority.LOGIN, parent), TypeError, "a login that names a parent reads its stamp")
  },
)
