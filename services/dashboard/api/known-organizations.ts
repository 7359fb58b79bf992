// Organizations that somebody logged in to with this browser: the login page offers them by name, and notices a link of somebody
// else's. Names and ids only: no credential.

import { readBase64url } from "../../../signer/core/encodings.ts"

export type KnownOrganization = {
  organizationId: string
  organizationName: string
  username: string
  /** Id of the passkey of the last login there; absent: it was by a key. */
  credentialId?: string
  lastMs: number
}

const KEPT = "countersign.organizations"
const MAX_KNOWN = 8

/** The organizations of past logins, the last one first. */
export function knownOrganizations(): readonly KnownOrganization[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEPT) ?? "[]")
    return Array.isArray(kept) ? kept.filter(isKnown) : []
  } catch {
    return []
  }
}

/** Any program of this origin may have written to the storage: one entry of another form must not end the login page. */
function isKnown(one: unknown): one is KnownOrganization {
  const { organizationId, organizationName, username, credentialId, lastMs } = (one ?? {}) as {
    [name: string]: unknown
  }
  const isPasskey = typeof credentialId === "string" && (readBase64url(credentialId)?.length ?? 0) > 0
  return (
    [organizationId, organizationName, username].every((text) => typeof text === "string") &&
    (credentialId === undefined || isPasskey) &&
    typeof lastMs === "number" &&
    !Number.isNaN(new Date(lastMs).getTime())
  )
}

/** "": nobody has logged in here. */
export const lastOrganization = (): string => knownOrganizations()[0]?.organizationId ?? ""

export function rememberOrganization(opened: Omit<KnownOrganization, "lastMs">): void {
  const others = knownOrganizations().filter(({ organizationId }) => organizationId !== opened.organizationId)
  keep([{ ...opened, lastMs: Date.now() }, ...others])
}

export function forgetOrganization(organizationId: string): void {
  keep(knownOrganizations().filter((one) => one.organizationId !== organizationId))
}

const keep = (known: readonly KnownOrganization[]) =>
  localStorage.setItem(KEPT, JSON.stringify(known.slice(0, MAX_KNOWN)))
