import { Authority } from "../../../../proto/gen/countersign/api/v1/options_pb.ts"
import { refuse } from "../../../core/refusal.ts"
import { ATTESTATION_FIELD, CONTACT_SCHEME } from "../../../core/stamp/attested.ts"
import type { IndexChange } from "../../ledger/ledger.ts"
import type { ExecutionDeps } from "../state/deps.ts"
import { indexShard } from "../state/identity-register.ts"
import { tokenUseKey } from "../state/ledger-keys.ts"
import type { StampedRequest } from "../state/request.ts"

type TokenRequest = Pick<StampedRequest, "stamp" | "activity">

/**
 * Refuses a verification token that was used before. A token opens one session, by otp_login or by an attested stamp, and casts
 * one vote. @throws VERIFICATION_TOKEN_USED
 */
export function requireUnusedToken(
  request: TokenRequest,
  { keyring, ledger }: Pick<ExecutionDeps, "keyring" | "ledger">,
): void {
  for (const { shard, put = [] } of tokenUses(request, { keyring })) {
    if (put.every(({ kind, key }) => ledger.row(shard, kind, key) === undefined)) continue
    const use = request.activity.authority === Authority.VOTE ? "cast a vote" : "opened a session"
    const sentence = `this verification token has ${use} before: verify the contact again`
    throw refuse("VERIFICATION_TOKEN_USED", sentence, { field: ATTESTATION_FIELD })
  }
}

/** The change that spends the token of a request, with the request's outcome; none for other stamps. */
export function tokenUses(
  { stamp, activity }: TokenRequest,
  { keyring }: Pick<ExecutionDeps, "keyring">,
): IndexChange[] {
  if (stamp.kind !== "attested" || stamp.scheme !== CONTACT_SCHEME) return []
  const { id, organizationId, expiresAtMs: expiresMs } = stamp.token.claims
  // otp_login spends tokens under the same name.
  const use = activity.authority === Authority.VOTE ? "otp-vote" : "otp-login"
  const row = { kind: "token-use", key: tokenUseKey(keyring, use, id) } as const
  const put = [{ ...row, value: new Uint8Array(0), expiresMs }]
  return [{ shard: indexShard(organizationId, row.key), put, mustBeAbsent: [row] }]
}
