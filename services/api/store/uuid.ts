const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Bounds of all UUIDs, used without a cursor. */
export const LOWEST_UUID = "00000000-0000-0000-0000-000000000000"
export const HIGHEST_UUID = "ffffffff-ffff-ffff-ffff-ffffffffffff"

/** Ids from callers may be any text, and PostgreSQL refuses text that is not a UUID. */
export function isUuid(text: string): boolean {
  return UUID.test(text)
}
