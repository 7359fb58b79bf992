import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf"
import {
  type FetchedStatement,
  FetchedStatementSchema,
  FetchStatementSchema,
  SignedStatementSchema,
} from "../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import { signTagged } from "../../signer/core/crypto/keyset.ts"
import { STATEMENT_TAG } from "../../signer/core/fetch-orders/order.ts"
import { newKeySet } from "../harness/fetcher.ts"

/** The fetched statement with changes, signed by a key of the attacker's choice. */
export function restated(
  { order, statement }: FetchedStatement,
  changes: MessageInitShape<typeof FetchStatementSchema>,
  keySet = newKeySet(),
): FetchedStatement {
  const altered = { ...plain(fromBinary(FetchStatementSchema, statement!.statement)), ...changes }
  const bytes = toBinary(FetchStatementSchema, create(FetchStatementSchema, altered as never))
  const signature = signTagged(keySet, STATEMENT_TAG, bytes)
  const signed = create(SignedStatementSchema, { statement: bytes, signature })
  return create(FetchedStatementSchema, { order: order!, statement: signed })
}

/** Without its type name, so that nested changes become messages. */
export function plain<M extends { $typeName: string }>(message: M): Omit<M, "$typeName"> {
  const { $typeName, ...members } = message
  if ($typeName === "") throw new Error("every message has a type")
  return members
}
