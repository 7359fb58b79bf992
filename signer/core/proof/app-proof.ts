import { type KeySet, signMessage } from "../crypto/keyset.ts"

/** A statement with its signature, in the shape that published clients verify (docs/formats/app-proofs.md). */
export type SignedPayload = {
  scheme: typeof EPHEMERAL_SCHEME
  /** 260 hexadecimal digits: encryption point, signing point. */
  publicKey: string
  /** JSON text, exactly as signed. */
  proofPayload: string
  /** r || s, 128 hexadecimal digits. */
  signature: string
}

/** Signs this process's statements about its own work. */
export type Prover = { readonly publicKey: string; sign(payload: string): SignedPayload }

export const EPHEMERAL_SCHEME = "SIGNATURE_SCHEME_EPHEMERAL_KEY_P256"

/** An account or key that was created or imported. Members that do not apply are left out. */
export type AddressStatement = {
  organizationId: string
  walletId?: string
  derivationPath?: string
  address: string
}

/** The decision of an activity and its evidence. Digests in lower-case hexadecimal, empty if there is none. */
export type OutcomeStatement = {
  organizationId: string
  outcome: OutcomeName
  decisionContextDigest: string
  organizationDataDigest: string
  parentOrganizationDataDigest: string
  userRequestApprovals: readonly ApprovalStatement[]
}

/** A counted stamp, with the parts that are needed to verify it again. */
export type ApprovalStatement = { scheme: string; publicKey: string; message: string; signature: string }

/** The outcomes of a decision, as published clients name them. */
export type OutcomeName =
  | "OUTCOME_ALLOW"
  | "OUTCOME_DENY_EXPLICIT"
  | "OUTCOME_DENY_IMPLICIT"
  | "OUTCOME_REQUIRES_CONSENSUS"
  | "OUTCOME_REJECTED"
  | "OUTCOME_REQUIRES_AUTHENTICATORS"

/** Proofs by a key set that lives as long as this process. The signatures have no domain tag, because published clients know none. */
export function openProver(ephemeral: KeySet): Prover {
  const { publicHex: publicKey } = ephemeral
  return {
    publicKey,
    sign: (proofPayload) => ({
      scheme: EPHEMERAL_SCHEME,
      publicKey,
      proofPayload,
      signature: Buffer.from(signMessage(ephemeral, Buffer.from(proofPayload))).toString("hex"),
    }),
  }
}

/** Members in the order in which published servers emit them. @param timestampMs Unix time */
export function addressPayload(statement: AddressStatement, timestampMs: number): string {
  const { organizationId, walletId, derivationPath, address } = statement
  const account = {
    ...(walletId !== undefined && { walletId }),
    ...(derivationPath !== undefined && { derivationPath }),
  }
  return JSON.stringify({
    type: "APP_PROOF_TYPE_ADDRESS_DERIVATION",
    timestampMs: String(timestampMs),
    addressDerivationProof: { organizationId, ...account, address },
  })
}

/** Members in the order in which published servers emit them. @param timestampMs Unix time of the decision */
export function outcomePayload(statement: OutcomeStatement, timestampMs: number): string {
  const userRequestApprovals = statement.userRequestApprovals.map(
    ({ scheme, publicKey, message, signature }) => ({ scheme, publicKey, message, signature }),
  )
  return JSON.stringify({
    type: "APP_PROOF_TYPE_POLICY_OUTCOME",
    timestampMs: String(timestampMs),
    policyOutcomeProof: {
      organizationId: statement.organizationId,
      outcome: statement.outcome,
      decisionContextDigest: statement.decisionContextDigest,
      organizationDataDigest: statement.organizationDataDigest,
      parentOrganizationDataDigest: statement.parentOrganizationDataDigest,
      userRequestApprovals,
    },
  })
}
