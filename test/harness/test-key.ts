import type { KeyObject } from "node:crypto"

/** A P-256 API key of a test user, made anew each time. */
export type TestKey = { publicKeyHex: string; privateKey: KeyObject }
