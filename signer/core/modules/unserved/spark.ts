import { int, list, oneOf, string, struct } from "../../policy/language/types.ts"
import type { ShownByType } from "../../policy/parameters/shown-parameters.ts"

// Text that a request omits is `''`. A derivation has empty values for the kinds that it does not use: read `type` first.

const keyDerivation = struct("KeyDerivation", {
  type: oneOf("identity", "signing_leaf", "deposit", "static_deposit", "htlc_preimage", ""),
  signing_leaf: struct("SigningLeaf", { leaf_id: string }),
  static_deposit: struct("StaticDeposit", { index: int }),
})

const operatorRecipients = list(
  struct("OperatorRecipient", { operator_id: string, encryption_public_key: string }),
)

const signatureRequest = struct("SignatureRequest", {
  derivation: keyDerivation,
  message: string,
  verifying_key: string,
  operator_commitments: list(struct("OperatorCommitment", { id: string, hiding: string, binding: string })),
  adaptor_public_key: string,
})

const transferPackage = struct("TransferPackage", {
  transfer_id: string,
  leaves: list(
    struct("TransferLeaf", {
      leaf_id: string,
      old_leaf_derivation: keyDerivation,
      new_leaf_derivation: keyDerivation,
      refund_signature: string,
      direct_refund_signature: string,
      direct_from_cpfp_refund_signature: string,
    }),
  ),
  threshold: int,
  operator_recipients: operatorRecipients,
  receiver_public_key: string,
})

const claimPackage = struct("ClaimPackage", {
  leaves: list(struct("ClaimLeaf", { leaf_id: string, ciphertext: string, sender_signature: string })),
  threshold: int,
  operator_recipients: operatorRecipients,
  transfer_id: string,
  sender_identity_public_key: string,
})

const lightningReceivePackage = struct("LightningReceivePackage", {
  threshold: int,
  operator_recipients: operatorRecipients,
})

export const spark: ShownByType = {
  SPARK_SIGN_FROST: { fields: { sign_with: string, signatures: list(signatureRequest) } },
  SPARK_PREPARE_TRANSFER: { fields: { sign_with: string, transfer: transferPackage } },
  SPARK_CLAIM_TRANSFER: { fields: { sign_with: string, claim: claimPackage } },
  SPARK_PREPARE_LIGHTNING_RECEIVE: {
    fields: { sign_with: string, lightning_receive: lightningReceivePackage },
  },
}
