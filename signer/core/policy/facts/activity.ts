import type { ActivityEntry } from "../../../../proto/catalog.ts"
import {
  type HashFunction,
  HashFunctionSchema,
  type PayloadEncoding,
  PayloadEncodingSchema,
} from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { type Members, members, type Value } from "../expression.ts"

/** Parameters of any activity, as its reader returned them. */
export type Parameters = { readonly [name: string]: unknown }

/** The root `activity`. */
export function activityValue(
  { type, kind, resource, action }: ActivityEntry,
  parameters: Parameters,
): Members {
  const shown = PARAMETERS.get(kind)?.(parameters) ?? {}
  return members({ type, kind, resource, action, params: members(shown) })
}

type Shown = { readonly [field: string]: Value | undefined }

/**
 * `activity.params` by the activity's kind; other kinds show nothing. Ids are in lower case, as they are stored: a
 * request may spell them otherwise.
 */
const PARAMETERS: ReadonlyMap<string, (parameters: Parameters) => Shown> = new Map([
  ["SIGN_RAW_PAYLOAD", payload],
  ["SIGN_RAW_PAYLOADS", payload],
  ["DELETE_USERS", ({ userIds }) => ({ user_ids: ids(userIds) })],
  ["CREATE_API_KEYS", ({ userId }) => ({ user_id: id(userId) })],
  ["DELETE_API_KEYS", ({ userId, apiKeyIds }) => ({ user_id: id(userId), api_key_ids: ids(apiKeyIds) })],
  ["EXPORT_WALLET", exported],
  ["EXPORT_WALLET_ACCOUNT", exported],
  ["EXPORT_PRIVATE_KEY", exported],
  ["UPDATE_WALLET", ({ walletId }) => ({ wallet_id: id(walletId) })],
  ["OTP_LOGIN", login],
  ["STAMP_LOGIN", login],
  ["OAUTH_LOGIN", login],
  ["UPDATE_WEBHOOK_ENDPOINT", ({ endpointId }) => ({ endpoint_id: id(endpointId) })],
  ["DELETE_WEBHOOK_ENDPOINT", ({ endpointId }) => ({ endpoint_id: id(endpointId) })],
])

function payload({ hashFunction, encoding }: Parameters): Shown {
  return {
    hash_function: HashFunctionSchema.value[hashFunction as HashFunction]?.name,
    encoding: PayloadEncodingSchema.value[encoding as PayloadEncoding]?.name,
  }
}

function exported({ targetPublicKey }: Parameters): Shown {
  return { target_public_key: text(targetPublicKey) }
}

/** Without a profile the session is a plain one: the empty text. */
function login({ sessionProfileId }: Parameters): Shown {
  return { session_profile_id: id(sessionProfileId) }
}

function text(value: unknown): string {
  return typeof value === "string" ? value : ""
}

function id(value: unknown): string {
  return text(value).toLowerCase()
}

function ids(value: unknown): string[] {
  return Array.isArray(value) ? value.map(id) : []
}
