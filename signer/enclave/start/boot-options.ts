import { randomFillSync } from "node:crypto"
import { ownBytes } from "../../core/crypto/secret.ts"
import type { AuditStream } from "../audit/audit-stream.ts"
import type { Clock } from "../ledger/trusted-clock.ts"
import type { AttestationProvider } from "../proof/boot-proof.ts"

export type BootOptions = {
  clock: Clock
  /** Ends the process: a failed write may or may not be on disk, or an invariant is broken. */
  terminate: (error: unknown) => never
  random?: (length: number) => Uint8Array
  /** The host's attestation of the code it runs; by default none. */
  attestation?: AttestationProvider
  /** The audit stream that the log binds; absent: none. */
  audit?: AuditStream | undefined
  /** Called after a sealed seed was unlocked or locked. */
  onLockChange?: () => void
  /** True in the program of a rehearsal, which no caller reaches and which has no settings to compare with the sealed seed. */
  isRehearsal?: boolean
}

/** Clock and random bytes of a process. */
export const withRandom = ({ clock, random = freshBytes }: BootOptions) => ({ clock, random })

/** Random bytes without another copy: wiping them leaves none. */
export function freshBytes(length: number): Uint8Array {
  const bytes = ownBytes(length)
  randomFillSync(bytes)
  return bytes
}
