import type { AuthenticatorParamsV2 } from "../../../../proto/gen/countersign/api/v1/params_pb.ts"
import type { User } from "../../../../proto/gen/countersign/state/v1/document_pb.ts"
import { addAuthenticator } from "../../organization/authenticators.ts"
import { type RefusalName, refuse } from "../../../core/refusal.ts"
import { type FaultKind, WebauthnFault } from "../../../core/webauthn/fault.ts"
import { type RegisteredCredential, verifyRegistration } from "../../../core/webauthn/registration.ts"
import type { ActivityContext } from "../activity.ts"

/** Adds passkeys to a user; returns their ids in order. @throws ATTESTATION_…, CREDENTIAL_TAKEN, LIMIT_EXCEEDED */
export function addAuthenticators(
  user: User,
  passkeys: readonly AuthenticatorParamsV2[],
  context: ActivityContext,
  field: string,
): string[] {
  return passkeys.map((passkey, index) => {
    const at = `${field}[${index}]`
    const authenticatorId = context.newId()
    const transports = [...new Set(passkey.attestation?.transports)]
    const { authenticatorName: name } = passkey
    const registered = verifyAttestation(passkey, context, at)
    addAuthenticator(context.organization, user, { authenticatorId, name, ...registered, transports }, at)
    return authenticatorId
  })
}

function verifyAttestation(
  { challenge, attestation }: AuthenticatorParamsV2,
  { allowedOrigins }: ActivityContext,
  at: string,
): RegisteredCredential {
  const { credentialId = "", clientDataJson = "", attestationObject = "" } = attestation ?? {}
  try {
    const registration = { challenge, credentialId, clientDataJson, attestationObject }
    return verifyRegistration(registration, allowedOrigins())
  } catch (cause) {
    if (!(cause instanceof WebauthnFault)) throw cause
    const field = cause.kind === "challenge" ? `${at}.challenge` : `${at}.attestation`
    throw refuse(CODES[cause.kind], `invalid authenticator attestation: ${cause.message}`, { cause, field })
  }
}

const CODES: Readonly<Record<FaultKind, RefusalName>> = {
  malformed: "ATTESTATION_MALFORMED",
  ceremony: "ATTESTATION_CEREMONY_WRONG",
  challenge: "ATTESTATION_CHALLENGE_WRONG",
  origin: "ATTESTATION_ORIGIN_WRONG",
  credential: "ATTESTATION_CREDENTIAL_WRONG",
  key: "ATTESTATION_KEY_INVALID",
  signature: "ATTESTATION_SIGNATURE_INVALID",
}
