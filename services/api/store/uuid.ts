const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Bounds outside of which no UUIDv7 lies: they stand for "no cursor". */
export const LOWEST_UUID = "00000000-0000-0000-0000-000000000000"
export const HIGHEST_UUID = "ffffffff-ffff-ffff-ffff-ffffffffffff"

/** Callers send any text as an id. What is not a UUID names nothing, and PostgreSQL would call it an error. */
export function isUuid(text: string): boolean {
  return UUID.test(text)
}
