import { isJsonObject, parseStrictJson } from "../../../proto/strict-json.ts"
import { FeatureName } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { OrganizationDocument } from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { featureOf } from "../organization/organization.ts"
import { refuse } from "../refusal.ts"
import type { OidcSubject } from "./identity.ts"
import { canonicalIssuer } from "./issuer.ts"
import { MAX_AUDIENCE_LENGTH } from "./token.ts"

/** Client ids by issuer. `*` among them: every application of the issuer. */
export type Applications = ReadonlyMap<string, ReadonlySet<string>>

/** The features of an organization document. */
type WithFeatures = Pick<OrganizationDocument, "features" | "organizationId">

/** Issuers that one organization may name, and client ids of each. */
const MAX_ISSUERS = 32
const MAX_CLIENT_IDS = 64

const ALL = "*"
const isClientId = (id: unknown) => typeof id === "string" && id !== "" && id.length <= MAX_AUDIENCE_LENGTH

/**
 * Reads a new value of FEATURE_NAME_OIDC_APPLICATIONS: a JSON object with a list of client ids for each issuer, as in
 * `{"https://accounts.google.com":["id.apps.googleusercontent.com"]}`. Without members no token is accepted.
 * @returns undefined for any other text
 */
export function readApplications(text: string): Applications | undefined {
  const members = parsed(text)
  if (!isJsonObject(members)) return undefined
  const entries = Object.entries(members)
  if (entries.length > MAX_ISSUERS) return undefined
  const applications = new Map<string, ReadonlySet<string>>()
  for (const [issuer, listed] of entries) {
    const clientIds = readClientIds(listed)
    if (canonicalIssuer(issuer) !== issuer || clientIds === undefined) return undefined
    applications.set(issuer, clientIds)
  }
  return applications
}

function parsed(text: string): unknown {
  try {
    return parseStrictJson(text)
  } catch {
    return undefined
  }
}

function readClientIds(listed: unknown): ReadonlySet<string> | undefined {
  if (!Array.isArray(listed) || listed.length === 0 || listed.length > MAX_CLIENT_IDS) return undefined
  const clientIds = new Set<string>(listed)
  return listed.every(isClientId) && clientIds.size === listed.length ? clientIds : undefined
}

/** Applications whose tokens an organization accepts; undefined: all that the fetcher's issuers have. */
function applicationsOf(document: WithFeatures): Applications | undefined {
  const feature = featureOf(document, FeatureName.OIDC_APPLICATIONS)
  if (feature === undefined) return undefined
  // Stored values may break the rule for new ones. Each member counts by itself: a member that is no text fits no token.
  const members = parsed(feature.value)
  const entries = Object.entries(isJsonObject(members) ? members : {})
  return new Map(entries.map(([issuer, ids]) => [issuer, new Set(Array.isArray(ids) ? ids : [])]))
}

/**
 * Refuses an identity of an application that one of two organizations does not list: the one that the token is used in, or its
 * parent. @throws OIDC_APPLICATION_NOT_ALLOWED
 */
export function requireApplication(
  documents: readonly WithFeatures[],
  { issuer, audience }: Pick<OidcSubject, "issuer" | "audience">,
  field: string,
): void {
  for (const document of documents) {
    const applications = applicationsOf(document)
    const clientIds = applications?.get(issuer)
    if (applications === undefined || clientIds?.has(audience) || clientIds?.has(ALL)) continue
    const sentence =
      `invalid OIDC token: organization ${document.organizationId} accepts no tokens of issuer ${issuer} for application ` +
      `${audience}: add it to FEATURE_NAME_OIDC_APPLICATIONS`
    throw refuse("OIDC_APPLICATION_NOT_ALLOWED", sentence, { field })
  }
}
