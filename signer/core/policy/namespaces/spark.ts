import { int, list, oneOf, string, struct } from "../language/types.ts"

// Parts of Spark activities. Text that was left out is `''`, and a kind of derivation that is not the one in use has
// empty values: look at `type` first.

const keyDerivation = struct("KeyDerivation", {
  type: oneOf("identity", "signing_leaf", "deposit", "static_deposit", "htlc_preimage", ""),
  signing_leaf: struct("SigningLeaf", { leaf_id: string }),
  static_deposit: struct("StaticDeposit", { index: int }),
})

const operatorRecipients = list(
  struct("OperatorRecipient", { operator_id: string, encryption_public_key: string }),
)

export const signatureRequest = struct("SignatureRequest", {
  derivation: keyDerivation,
  message: string,
  verifying_key: string,
  operator_commitments: list(struct("OperatorCommitment", { id: string, hiding: string, binding: string })),
  adaptor_public_key: string,
})

export const transferPackage = struct("TransferPackage", {
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

export const claimPackage = struct("ClaimPackage", {
  leaves: list(struct("ClaimLeaf", { leaf_id: string, ciphertext: string, sender_signature: string })),
  threshold: int,
  operator_recipients: operatorRecipients,
  transfer_id: string,
  sender_identity_public_key: string,
})

export const lightningReceivePackage = struct("LightningReceivePackage", {
  threshold: int,
  operator_recipients: operatorRecipients,
})
