import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf"
import {
  type FetchStatement,
  FetchStatementSchema,
  type SignedStatement,
  SignedStatementSchema,
} from "../../../proto/gen/countersign/signer/v1/fetcher_pb.ts"

/** Domain tag of the fetcher's signature of statements. */
export const STATEMENT_TAG = "countersign/v1/fetch-statement"

/** Longest validity of a statement: an issuer's withdrawn key is used no longer than this. */
const STATEMENT_LIFETIME_MS = 60 * 60 * 1000

/** Tolerated difference between the clocks of fetcher and signer. */
export const CLOCK_LEEWAY_MS = 5 * 60 * 1000

export type Finding = NonNullable<
  Exclude<MessageInitShape<typeof FetchStatementSchema>["finding"], { case: undefined }>
>

/** States the result of an order. */
export function makeStatement(
  finding: Finding,
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

/** A signed statement; undefined: forged. The caller checks that it is fresh and answers its order. */
export function openStatement(
  signed: SignedStatement | undefined,
  verify: (tag: string, bytes: Uint8Array, signature: Uint8Array) => boolean,
): FetchStatement | undefined {
  if (signed === undefined || !verify(STATEMENT_TAG, signed.statement, signed.signature)) return undefined
  return fromBinary(FetchStatementSchema, Uint8Array.from(signed.statement))
}

/** End of the statement's validity, Unix milliseconds: its own expiry, bounded by the longest validity. */
export function holdsUntil({ fetchedAtMs, expiresAtMs }: FetchStatement): number {
  const longest = fetchedAtMs + BigInt(STATEMENT_LIFETIME_MS)
  return Number(expiresAtMs < longest ? expiresAtMs : longest)
}

/** Whether the statement is valid now. */
export function isFresh(statement: FetchStatement, nowMs: number): boolean {
  return Number(statement.fetchedAtMs) - CLOCK_LEEWAY_MS <= nowMs && nowMs < holdsUntil(statement)
}
