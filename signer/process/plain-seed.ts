import { closeSync, openSync, readSync } from "node:fs"
import { isSealed, SEALED_MARK_LENGTH } from "../core/sealed-seed/mark.ts"

/** What a plain seed is, by the setting of its file. */
const KINDS = {
  COUNTERSIGN_SIGNER_SEED_FILE:
    "is a plain root seed, so its reader has every key: countersign-signer ceremony seals it",
  COUNTERSIGN_FETCHER_SEED_FILE:
    "is a plain seed, so its reader states whatever the signer believes of remote hosts: countersign-signer ceremony --fetcher-seed seals it",
} as const

/** The fault of a seed in a plain file. Of a sealed seed, of none and of one that cannot be opened there is no fault here. */
export function faultsOfPlainSeed(
  file: string,
  setting: keyof typeof KINDS = "COUNTERSIGN_SIGNER_SEED_FILE",
): string[] {
  const mark = beginningOf(file)
  if (mark === undefined || isSealed(mark)) return []
  return [`${setting}: ${file} ${KINDS[setting]}`]
}

/** As many bytes as a sealed file is known by; zeros in place of those of another one. Undefined: it cannot be read. */
function beginningOf(file: string): Uint8Array | undefined {
  const bytes = new Uint8Array(SEALED_MARK_LENGTH)
  try {
    const descriptor = openSync(file, "r")
    try {
      readSync(descriptor, bytes)
      return isSealed(bytes) ? bytes : bytes.fill(0)
    } finally {
      closeSync(descriptor)
    }
  } catch {
    return undefined
  }
}
