// Signed transactions on which independent libraries agree, byte for byte, and transactions that are refused.
import { create } from "@bufbuild/protobuf"
import t from "tap"
import { TransactionType } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import { SignTransactionIntentV2Schema } from "../../proto/gen/countersign/api/v1/intents/signing_pb.ts"
import type { ActivityContext } from "../../signer/enclave/activities/activity.ts"
import { signTransactionV2 } from "../../signer/enclave/modules/transactions/sign-transaction.ts"
import { runAtOnce } from "../../signer/core/turns/steps.ts"
import { SigningKey, type SigningScheme } from "../../signer/enclave/keys/signing-key.ts"
import { ownVectors } from "../harness/vectors.ts"
import { refusalOf, secretOf } from "../signer/enclave/keys/tools.ts"

type Refused = { name: string; type: string; unsignedTransaction: string }
type Signed = Refused & { privateKey: string; signedTransaction: string; scheme?: SigningScheme }

const { signed, refused, validForComparison } = ownVectors<{
  signed: Signed[]
  refused: Refused[]
  validForComparison: string
}>("transactions")

const types: Readonly<Record<string, TransactionType>> = {
  TRANSACTION_TYPE_ETHEREUM: TransactionType.ETHEREUM,
  TRANSACTION_TYPE_SOLANA: TransactionType.SOLANA,
  TRANSACTION_TYPE_BITCOIN: TransactionType.BITCOIN,
  TRANSACTION_TYPE_TRON: TransactionType.TRON,
}

function sign(name: string, unsignedTransaction: string, privateKey: string, scheme?: SigningScheme): string {
  const type = types[name]!
  const curve = type === TransactionType.SOLANA ? "CURVE_ED25519" : "CURVE_SECP256K1"
  const key = new SigningKey({ curve, secret: secretOf(privateKey) }, scheme)
  const parameters = create(SignTransactionIntentV2Schema, { signWith: "the key", unsignedTransaction, type })
  const context = { signingKey: () => key } as unknown as ActivityContext<["signingKey"]>
  return runAtOnce(signTransactionV2.run(parameters, context)).signedTransaction ?? ""
}

for (const { name, type, unsignedTransaction, privateKey, signedTransaction, scheme } of signed) {
  t.test(`returns the signed transaction of vector ${type}, ${name}`, async (t) => {
    t.equal(sign(type, unsignedTransaction, privateKey, scheme), signedTransaction)
    const capitals = `0x${unsignedTransaction.toUpperCase()}`
    t.equal(sign(type, capitals, privateKey, scheme), signedTransaction)
    if (type !== "TRANSACTION_TYPE_SOLANA") {
      const again = refusalOf(() => sign(type, signedTransaction, privateKey, scheme))
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
