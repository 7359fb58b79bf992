import type { KeyObject } from "node:crypto"
import { fromBinary } from "@bufbuild/protobuf"
import {
  type AuthProxyStatement,
  AuthProxyStatementSchema,
} from "../../../proto/gen/countersign/state/v1/auth_proxy_pb.ts"
import { isSignedTagged } from "../crypto/keyset.ts"

/** Stands before a statement about the configuration of an auth proxy. */
export const AUTH_PROXY_TAG = "countersign/v1/auth-proxy-configuration"

/** A statement as it is relayed. */
export type SignedConfiguration = { statement: Uint8Array; signature: Uint8Array }

/** Reads a statement about a configuration. Undefined: it is not the notarizer's, or no answer to this nonce. */
export function readAuthProxyStatement(
  { statement, signature }: SignedConfiguration,
  { notarizer, nonce }: { notarizer: KeyObject; nonce: Uint8Array },
): AuthProxyStatement | undefined {
  if (!isSignedTagged(notarizer, AUTH_PROXY_TAG, statement, signature)) return undefined
  const read = fromBinary(AuthProxyStatementSchema, statement)
  return Buffer.compare(read.nonce, nonce) === 0 ? read : undefined
}
