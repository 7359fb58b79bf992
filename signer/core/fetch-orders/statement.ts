import { create, type MessageInitShape, toBinary } from "@bufbuild/protobuf"
import {
  FetchStatementSchema,
  type SignedStatement,
  SignedStatementSchema,
} from "../../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import { STATEMENT_LIFETIME_MS, STATEMENT_TAG } from "./order.ts"

export type StatedFact = NonNullable<
  Exclude<MessageInitShape<typeof FetchStatementSchema>["finding"], { case: undefined }>
>

/** States the result of an order. */
export function makeStatement(
  finding: StatedFact,
  about: { orderDigest: Uint8Array; organizationId: string },
  nowMs: number,
  sign: (tag: string, bytes: Uint8Array) => Uint8Array,
): SignedStatement {
  const statement = create(FetchStatementSchema, {
    ...about,
    fetchedAtMs: BigInt(nowMs),
    expiresAtMs: BigInt(nowMs + STATEMENT_LIFETIME_MS),
    finding,
  })
  const bytes = toBinary(FetchStatementSchema, statement)
  return create(SignedStatementSchema, { statement: bytes, signature: sign(STATEMENT_TAG, bytes) })
}
