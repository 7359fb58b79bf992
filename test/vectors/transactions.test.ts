// Signed transactions on which independent libraries agree, byte for byte, and transactions that are refused.
import { create } from "@bufbuild/protobuf"
import t from "tap"
import { TransactionType } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import { SignTransactionIntentV2Schema } from "../../proto/gen/countersign/api/v1/intents/signing_pb.ts"
import type { ActivityContext } from "../../signer/enclave/activities/activity.ts"
import { signTransactionV2 } from "../../signer/enclave/activities/sign-transaction.ts"
import { SigningKey } from "../../signer/enclave/keys/signing-key.ts"
import { ownVectors } from "../harness/vectors.ts"
import { refusalOf, secretOf } from "../signer/enclave/keys/tools.ts"

type Refused = { name: string; type: string; unsignedTransaction: string }
type Signed = Refused & { privateKey: string; signedTransaction: string }

const { signed, refused, validForComparison } = ownVectors<{
  signed: Signed[]
  refused: Refused[]
  validForComparison: string
}>("transactions")

function sign(type: string, unsignedTransaction: string, privateKey: string): string {
  const isEthereum = type === "TRANSACTION_TYPE_ETHEREUM"
  const curve = isEthereum ? "CURVE_SECP256K1" : "CURVE_ED25519"
  const key = new SigningKey({ curve, secret: secretOf(privateKey) })
  const parameters = create(SignTransactionIntentV2Schema, {
    signWith: "the key",
    unsignedTransaction,
    type: isEthereum ? TransactionType.ETHEREUM : TransactionType.SOLANA,
  })
  const context = { vault: { signingKey: () => key } } as unknown as ActivityContext
  return signTransactionV2.run(parameters, context).signedTransaction ?? ""
}

for (const { name, type, unsignedTransaction, privateKey, signedTransaction } of signed) {
  t.test(`returns the signed transaction of vector ${type}, ${name}`, async (t) => {
    t.equal(sign(type, unsignedTransaction, privateKey), signedTransaction)
    t.equal(sign(type, `0x${unsignedTransaction.toUpperCase()}`, privateKey), signedTransaction)
    if (type === "TRANSACTION_TYPE_ETHEREUM") {
      const again = refusalOf(() => sign(type, signedTransaction, privateKey))
      t.equal(again?.code, "TRANSACTION_INVALID", "what is signed already is not signed again")
    }
  })
}

t.test(
  "refuses each transaction that the vectors refuse, and signs the one that they resemble",
  async (t) => {
    const key = signed[0]!.privateKey
    t.ok(sign("TRANSACTION_TYPE_ETHEREUM", validForComparison, key))
    for (const { name, type, unsignedTransaction } of refused) {
      const refusal = refusalOf(() => sign(type, unsignedTransaction, key))
      t.equal(refusal?.code, "TRANSACTION_INVALID", name)
      t.match(refusal?.message, /^failed to parse transaction: .+ \(at byte \d+\)$/, name)
    }
  },
)
