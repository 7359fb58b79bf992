import { map, string, struct } from "../language/types.ts"

/** `secret`: of requests that export one. Its properties were given at import and never change. */
export const secret = struct("Secret", { static_properties: map(string) })
