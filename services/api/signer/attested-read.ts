import { requireApplication } from "../../../signer/core/oidc/applications.ts"
import { requireChannelOn, requirePlainCodesOn } from "../../../signer/core/otp/channel.ts"
import { requireTokenOf } from "../../../signer/core/otp/verification-token.ts"
import { refuse } from "../../../signer/core/refusal.ts"
import { ATTESTATION_FIELD, type AttestedStamp, CONTACT_SCHEME } from "../../../signer/core/stamp/attested.ts"
import type { StoredOrganization } from "../store/stored-organization.ts"
import { verifyWithFetched } from "./fetch-rounds.ts"
import type { FetcherClient } from "./fetcher.ts"
import type { AttestedRead, Signer } from "./signer.ts"

/** An attested stamp on a read, and the organization that it reads. */
export type StampedRead = Omit<AttestedRead, "fetched"> & {
  stamp: AttestedStamp
  queried: Pick<StoredOrganization, "document">
}

type AttestationDeps = {
  signer: Pick<Signer, "verifyAttestation">
  fetcher: Pick<FetcherClient, "fetch">
  organizations: { refresh(id: string): Promise<Pick<StoredOrganization, "document"> | undefined> }
}

/** Reads that an attested stamp may ask for: published clients follow a login or a vote, and ask who they are. */
const READS: ReadonlySet<string> = new Set(["whoami", "get_activity"])

/**
 * Requires that an attested stamp on a read is verified: only the signer knows the keys of issuers.
 * @throws Refusal ATTESTED_STAMP_NOT_ALLOWED, VERIFICATION_TOKEN_INVALID, OTP_DISABLED, OTP_SEALED_ONLY, OIDC_APPLICATION_NOT_ALLOWED, the refusals of signer and fetcher; ApiError 503
 */
export async function requireAttestedRead(
  path: string,
  { stamp, queried, ...stamped }: StampedRead,
  { signer, fetcher, organizations }: AttestationDeps,
): Promise<void> {
  if (!READS.has(path)) {
    const sentence = `an attested stamp reads ${[...READS].join(" and ")} alone: log in with stamp_login`
    throw refuse("ATTESTED_STAMP_NOT_ALLOWED", sentence)
  }
  const { parentId } = queried.document
  const parent = parentId === "" ? undefined : await organizations.refresh(parentId)
  requireAccepted(stamp, queried, parent ?? queried)
  await verifyWithFetched((fetched) => signer.verifyAttestation({ ...stamped, fetched }), fetcher)
}

/**
 * A contact's token counts in its own organization and its sub-organizations, while they accept its codes; an ID token
 * while they accept its application.
 */
function requireAccepted(
  stamp: AttestedStamp,
  { document }: StampedRead["queried"],
  governing: StampedRead["queried"],
): void {
  if (stamp.scheme !== CONTACT_SCHEME) {
    requireApplication([document, governing.document], stamp.token, ATTESTATION_FIELD)
    return
  }
  const { claims } = stamp.token
  requireTokenOf(claims, [document.organizationId, document.parentId], ATTESTATION_FIELD)
  requireChannelOn(document, claims.channel, ATTESTATION_FIELD)
  if (!claims.isSealed) requirePlainCodesOn([document, governing.document], ATTESTATION_FIELD)
}
