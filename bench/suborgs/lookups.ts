import { isDeepStrictEqual } from "node:util"
import { identityKey } from "../../services/api/store/identity-keys.ts"
import type { Database } from "../../services/database/database.ts"
import {
  listSubOrganizations,
  type SubOrganizationFilter,
} from "../../services/api/store/sub-organizations.ts"
import type { Page } from "../../services/api/store/page.ts"
import type { StampingClient } from "./caller.ts"
import { AUDIENCE, customer, type Customer, organizationIdOf, ISSUER } from "./customers.ts"

/** One way to look up, as a caller asks, as the store is asked, and what both must answer. */
export type LookUp = {
  path: "list_suborgs" | "list_verified_suborgs"
  filter?: { filterType: string; filterValue: string }
  store: SubOrganizationFilter
  page: Page
  expected: string[]
}

const PAGE = 100

type Family = { count: number; companyKey: string }

/** Each look-up by its name, for customer `number` of a family. */
export const lookUps: { readonly [name: string]: (number: number, family: Family) => LookUp } = {
  "e-mail": one(
    "EMAIL",
    ({ email }) => email,
    ({ email }) => identityKey.email(email),
  ),
  "verified e-mail": (number, family) => {
    const asked = lookUps["e-mail"]!(number, family)
    const identity = identityKey.email(customer(number).email)
    return { ...asked, path: "list_verified_suborgs", store: { by: "verified identity", identity } }
  },
  "phone number": one(
    "PHONE_NUMBER",
    ({ phoneNumber }) => phoneNumber,
    ({ phoneNumber }) => identityKey.phoneNumber(phoneNumber),
  ),
  "credential id": one(
    "CREDENTIAL_ID",
    ({ credentialId }) => Buffer.from(credentialId).toString("base64url"),
    ({ credentialId }) => identityKey.credentialId(credentialId),
  ),
  "public key": one(
    "PUBLIC_KEY",
    ({ publicKey }) => publicKey,
    ({ publicKey }) => identityKey.publicKey(publicKey),
  ),
  "OIDC subject": one("OIDC_TOKEN", tokenOf, ({ subject }) =>
    identityKey.oidc({ issuer: ISSUER, audience: AUDIENCE, subject }),
  ),
  "page of all": (number, { count }) => ({
    path: "list_suborgs",
    store: { by: "nothing" },
    ...pageAfter(number, count),
  }),
  "page of a key that all share": (number, { count, companyKey }) => ({
    path: "list_suborgs",
    filter: { filterType: "PUBLIC_KEY", filterValue: companyKey },
    store: { by: "identity", identity: identityKey.publicKey(companyKey) },
    ...pageAfter(number, count),
  }),
}

function one(
  filterType: string,
  value: (customer: Customer) => string,
  key: (customer: Customer) => ReturnType<typeof identityKey.email>,
): (number: number) => LookUp {
  return (number) => {
    const owner = customer(number)
    return {
      path: "list_suborgs",
      filter: { filterType, filterValue: value(owner) },
      store: { by: "identity", identity: key(owner) },
      page: { limit: 10 },
      expected: [owner.organizationId],
    }
  }
}

/** A whole page, so that every size answers as much. */
function pageAfter(number: number, count: number): Pick<LookUp, "page" | "expected"> {
  const size = Math.min(PAGE, count - 1)
  const first = Math.min(number, count - 1 - size)
  const expected = Array.from({ length: size }, (_, at) => organizationIdOf(first + 1 + at))
  return { page: { limit: size, after: organizationIdOf(first) }, expected }
}

function tokenOf({ subject }: Customer): string {
  return `${base64url({ alg: "RS256" })}.${base64url({ iss: ISSUER, aud: AUDIENCE, sub: subject })}.c2ln`
}

function base64url(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString("base64url")
}

/** Asks as an application asks; milliseconds. @throws Error for a wrong answer */
export async function askCaller(
  caller: StampingClient,
  parentId: string,
  { path, filter, page, expected }: LookUp,
) {
  const { limit, after } = page
  const paginationOptions = { limit: String(limit), ...(after === undefined ? {} : { after }) }
  const startedAt = performance.now()
  const { text } = await caller.call(`query/${path}`, {
    organizationId: parentId,
    ...filter,
    paginationOptions,
  })
  const elapsedMs = performance.now() - startedAt
  if (text !== JSON.stringify({ organizationIds: expected })) throw new Error(`a look-up answered ${text}`)
  return elapsedMs
}

/** Asks the tables alone; milliseconds. @throws Error for a wrong answer */
export async function askStore(sql: Database, parentId: string, { store, page, expected }: LookUp) {
  const startedAt = performance.now()
  const found = await listSubOrganizations(sql, parentId, store, page)
  const elapsedMs = performance.now() - startedAt
  if (!isDeepStrictEqual(found, { rows: expected })) throw new Error("the tables answered wrongly")
  return elapsedMs
}
