import { NIL_UUID, readUuid } from "../../../signer/core/uuid.ts"

/** Bounds of all UUIDs, used without a cursor. */
export const LOWEST_UUID = NIL_UUID
export const HIGHEST_UUID = "ffffffff-ffff-ffff-ffff-ffffffffffff"

/** Ids from callers may be any text, and PostgreSQL refuses text that is not a UUID. */
export function isUuidInAnyCase(text: string): boolean {
  return readUuid(text) !== undefined
}
