// A parent with twelve sub-organizations, and an organization beside them.
import { create } from "@bufbuild/protobuf"
import t from "tap"
import {
  AuthenticatorSchema,
  OauthProviderSchema,
  UserSchema,
} from "../../../../proto/gen/countersign/state/v1/document_pb.ts"
import { type DocumentParts, nextId, ORGANIZATION_ID, storeOrganization, user } from "../documents.ts"
import { type Reply, startApi } from "../start-api.ts"
import { makeKey, type TestKey } from "../stamps.ts"

export const keys = { root: makeKey(), shared: makeKey(), one: makeKey(), stranger: makeKey() }
export const api = await startApi(t)
export const PARENT = ORGANIZATION_ID
export const root = user("root", keys.root)
await storeOrganization(api.sql, { users: [root], rootQuorum: { threshold: 1, userIds: [root.userId] } })
export const STRANGER = nextId()
await storeOrganization(api.sql, { organizationId: STRANGER, users: [user("stranger", keys.stranger)] })

export const ADDRESS = "0x8ba1f109551bD432803012645Ac136ddd64DBA72"
export const CREDENTIAL = Buffer.from([251, 255, 1, 2])
export const claims = { iss: "https://accounts.google.com", aud: "app", sub: "42" }
export const provider = { issuer: claims.iss, audience: claims.aud, subject: claims.sub }

/** Twelve sub-organizations; the first has identities of all kinds. */
export const children = await Promise.all(Array.from({ length: 12 }, (_, number) => child(number)))
export const [first, second] = children as [string, string]

async function child(number: number): Promise<string> {
  const organizationId = nextId()
  const shared = user("shared", keys.shared)
  const one = create(UserSchema, {
    ...user("one", keys.one),
    email: "One@Example.com",
    emailVerified: true,
    phoneNumber: "+15555550100",
    authenticators: [create(AuthenticatorSchema, { credentialId: CREDENTIAL })],
    oauthProviders: [create(OauthProviderSchema, provider)],
  })
  const users = number === 0 ? [create(UserSchema, shared), one] : [create(UserSchema, shared)]
  await family(organizationId, PARENT, { name: `Child ${number}`, users })
  return organizationId
}

export async function family(organizationId: string, parentId: string, parts: DocumentParts): Promise<void> {
  await storeOrganization(api.sql, { organizationId, parentId, ...parts })
}

export const query = (path: string, body: object, key: TestKey, organizationId = PARENT) =>
  api.post(`query/${path}`, { organizationId, ...body }, key)
export const list = (filterType?: string, filterValue?: string, more: object = {}) =>
  query("list_suborgs", { filterType, filterValue, ...more }, keys.root)
export const ids = ({ json }: Reply) => json["organizationIds"]
