import type {
  HashFunction,
  PayloadEncoding,
  TransactionType,
} from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import {
  HashFunctionSchema,
  PayloadEncodingSchema,
  TransactionTypeSchema,
} from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { oneOf } from "../../policy/language/types.ts"
import type { ShownByType, ShownParameters } from "../../policy/parameters/shown-parameters.ts"

const signRawPayload: ShownParameters = {
  fields: {
    hash_function: oneOf(
      "HASH_FUNCTION_NO_OP",
      "HASH_FUNCTION_SHA256",
      "HASH_FUNCTION_KECCAK256",
      "HASH_FUNCTION_NOT_APPLICABLE",
    ),
    encoding: oneOf(
      "PAYLOAD_ENCODING_HEXADECIMAL",
      "PAYLOAD_ENCODING_TEXT_UTF8",
      "PAYLOAD_ENCODING_EIP712",
      "PAYLOAD_ENCODING_EIP7702_AUTHORIZATION",
      "PAYLOAD_ENCODING_ERC4337_USER_OPERATION",
    ),
  },
  values: ({ hashFunction, encoding }) => ({
    hash_function: HashFunctionSchema.value[hashFunction as HashFunction]?.name,
    encoding: PayloadEncodingSchema.value[encoding as PayloadEncoding]?.name,
  }),
}

const signTransaction: ShownParameters = {
  fields: {
    type: oneOf(
      "TRANSACTION_TYPE_ETHEREUM",
      "TRANSACTION_TYPE_SOLANA",
      "TRANSACTION_TYPE_BITCOIN",
      "TRANSACTION_TYPE_TRON",
      "TRANSACTION_TYPE_TEMPO",
    ),
  },
  values: ({ type }) => ({ type: TransactionTypeSchema.value[type as TransactionType]?.name }),
}

export const parameters: ShownByType = {
  SIGN_RAW_PAYLOAD: signRawPayload,
  SIGN_RAW_PAYLOAD_V2: signRawPayload,
  SIGN_RAW_PAYLOADS: signRawPayload,
  SIGN_TRANSACTION: signTransaction,
  SIGN_TRANSACTION_V2: signTransaction,
}
