import type { AuthProxy } from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { type RefusalName, refuse } from "../../core/refusal.ts"
import type { Draft } from "./draft.ts"

type Named = { readonly name: string }

/**
 * Requires a name that no other resource of the kind has. Names are compared code unit by code unit. @throws NAME_TAKEN
 */
export function requireUniqueName(others: readonly Named[], name: string, kind: string, field: string): void {
  if (others.every((other) => other.name !== name)) return
  throw refuse("NAME_TAKEN", `${kind} must be unique: ${name} is taken`, { field })
}

/** Requires that every id of a list belongs to the user. @throws RESOURCE_UNKNOWN, naming the index */
export function requireIds(
  ids: readonly string[],
  known: readonly string[],
  sentenceOf: (id: string) => string,
  field: string,
): void {
  const index = ids.findIndex((id) => !known.includes(id))
  if (index === -1) return
  throw refuse("RESOURCE_UNKNOWN", sentenceOf(ids[index]!), { field: `${field}[${index}]` })
}

/** Bounds the size of texts in bytes of UTF-8: the document is read, signed and stored whole with every change. */
export function requireTextSize(
  texts: readonly string[],
  limit: { max: number; texts: string; code: RefusalName },
  field: string,
): void {
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  if (bytes <= limit.max) return
  throw refuse(limit.code, `${limit.texts} are over ${limit.max} bytes together`, { field })
}

/** Requires that what is to be deleted does not belong to the enabled auth proxy. @throws AUTH_PROXY_IN_USE */
export function requireNotOfProxy(
  { document: { authProxy } }: Pick<Draft, "document">,
  isDeleted: (proxy: AuthProxy) => boolean,
  field: string,
): void {
  if (authProxy === undefined || authProxy.publicKey === "" || !isDeleted(authProxy)) return
  const sentence = `user ${authProxy.userId} is the auth proxy's; disable_auth_proxy deletes that user and their key`
  throw refuse("AUTH_PROXY_IN_USE", sentence, { field })
}
