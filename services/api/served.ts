import type { ActivityEntry } from "../../proto/catalog.ts"
import { ApiError, GrpcCode } from "../common/api-error.ts"

/**
 * The activity types this release carries out, without prefix. What is declared and not here answers 501
 * before anything else is looked at; the signer has its own list and the last word.
 */
const SERVED: ReadonlySet<string> = new Set(
  [
    "CREATE_ORGANIZATION",
    "CREATE_USERS_V3",
    "CREATE_USERS_V4",
    "CREATE_API_KEYS",
    "CREATE_API_KEYS_V2",
    "DELETE_API_KEYS",
    "CREATE_AUTHENTICATORS_V2",
    "DELETE_AUTHENTICATORS",
    "CREATE_SUB_ORGANIZATION_V4",
    "CREATE_SUB_ORGANIZATION_V5",
    "CREATE_SUB_ORGANIZATION_V6",
    "CREATE_SUB_ORGANIZATION_V7",
    "CREATE_SUB_ORGANIZATION_V8",
    "DELETE_SUB_ORGANIZATION",
    "CREATE_WALLET",
    "CREATE_WALLET_ACCOUNTS",
    "UPDATE_WALLET",
    "DELETE_WALLET_ACCOUNTS",
    "CREATE_PRIVATE_KEYS",
    "CREATE_PRIVATE_KEYS_V2",
    "DELETE_PRIVATE_KEYS",
    "CREATE_PRIVATE_KEY_TAG",
    "UPDATE_PRIVATE_KEY_TAG",
    "DELETE_PRIVATE_KEY_TAGS",
    "SIGN_RAW_PAYLOAD",
    "SIGN_RAW_PAYLOAD_V2",
    "SIGN_RAW_PAYLOADS",
    "STAMP_LOGIN",
    "UPDATE_ROOT_QUORUM",
    "APPROVE_ACTIVITY",
    "REJECT_ACTIVITY",
  ].map((type) => `ACTIVITY_TYPE_${type}`),
)

export function isServed({ type }: Pick<ActivityEntry, "type">): boolean {
  return SERVED.has(type)
}

/** The operation is part of the interface and not of this release. */
export function notServed(operation: string): ApiError {
  return new ApiError(GrpcCode.unimplemented, `${operation} is not implemented in this release`, {
    reason: "NOT_IMPLEMENTED",
  })
}
