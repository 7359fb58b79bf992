import type { ActivityEntry } from "../../../proto/catalog.ts"
import type { ApiError } from "../../common/api-error.ts"
import { notImplemented } from "../../common/dispatch.ts"

/**
 * The activity types this release carries out, without prefix. What is declared and not here answers 501
 * before anything else is looked at; the signer has its own list and the last word.
 */
const SERVED: ReadonlySet<string> = new Set(
  [
    "CREATE_ORGANIZATION",
    "UPDATE_ORGANIZATION_NAME",
    "SET_ORGANIZATION_FEATURE",
    "REMOVE_ORGANIZATION_FEATURE",
    "CREATE_USERS_V2",
    "CREATE_USERS_V3",
    "CREATE_USERS_V4",
    "CREATE_API_ONLY_USERS",
    "UPDATE_USER",
    "UPDATE_USER_NAME",
    "UPDATE_USER_EMAIL",
    "UPDATE_USER_PHONE_NUMBER",
    "DELETE_USERS",
    "CREATE_USER_TAG",
    "UPDATE_USER_TAG",
    "DELETE_USER_TAGS",
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
    "DELETE_WALLETS",
    "INIT_IMPORT_WALLET",
    "IMPORT_WALLET",
    "EXPORT_WALLET",
    "EXPORT_WALLET_ACCOUNT",
    "CREATE_PRIVATE_KEYS",
    "CREATE_PRIVATE_KEYS_V2",
    "DELETE_PRIVATE_KEYS",
    "CREATE_PRIVATE_KEY_TAG",
    "UPDATE_PRIVATE_KEY_TAG",
    "DELETE_PRIVATE_KEY_TAGS",
    "CREATE_POLICY_V3",
    "CREATE_POLICIES",
    "UPDATE_POLICY",
    "UPDATE_POLICY_V2",
    "DELETE_POLICY",
    "DELETE_POLICIES",
    "CREATE_SMART_CONTRACT_INTERFACE",
    "DELETE_SMART_CONTRACT_INTERFACE",
    "CREATE_OAUTH_PROVIDERS",
    "CREATE_OAUTH_PROVIDERS_V2",
    "DELETE_OAUTH_PROVIDERS",
    "CREATE_OAUTH2_CREDENTIAL",
    "UPDATE_OAUTH2_CREDENTIAL",
    "DELETE_OAUTH2_CREDENTIAL",
    "INIT_IMPORT_PRIVATE_KEY",
    "IMPORT_PRIVATE_KEY",
    "EXPORT_PRIVATE_KEY",
    "SIGN_RAW_PAYLOAD",
    "SIGN_RAW_PAYLOAD_V2",
    "SIGN_RAW_PAYLOADS",
    "STAMP_LOGIN",
    "CREATE_SESSION_PROFILE",
    "SET_IP_ALLOWLIST",
    "REMOVE_IP_ALLOWLIST",
    "CREATE_MFA_POLICY",
    "UPDATE_MFA_POLICY",
    "DELETE_MFA_POLICY",
    "UPDATE_ROOT_QUORUM",
    "APPROVE_ACTIVITY",
    "REJECT_ACTIVITY",
  ].map((type) => `ACTIVITY_TYPE_${type}`),
)

export function isServed({ type }: Pick<ActivityEntry, "type">): boolean {
  return SERVED.has(type)
}

const SELECTORS =
  "is obsolete: its selectors are no expressions of the policy language; send ACTIVITY_TYPE_CREATE_POLICY_V3"

/** Types of clients from before the interface's document, and what to send instead. */
const OBSOLETE: ReadonlyMap<string, string> = new Map([
  ["ACTIVITY_TYPE_CREATE_POLICY", SELECTORS],
  ["ACTIVITY_TYPE_CREATE_POLICY_V2", SELECTORS],
])

/** Why a type that once was one is none any more; undefined: it never was. */
export function whyObsolete(type: string): string | undefined {
  const why = OBSOLETE.get(type)
  return why === undefined ? undefined : `${type} ${why}`
}

/** Operations that are left out for a reason of their own, by path. */
const WHY_NOT: ReadonlyMap<string, string> = new Map(
  ["create_invitations", "delete_invitation"].map((path) => [
    path,
    "an invitation would let in whoever reads the mail, for nothing here can prove yet whose mailbox it is; " +
      "create the user with create_users instead",
  ]),
)

/** The operation is part of the interface and not of this release. */
export function notServed(operation: string): ApiError {
  return notImplemented(operation, WHY_NOT.get(operation))
}
