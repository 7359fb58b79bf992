import { accessSync, constants, createReadStream, readFileSync } from "node:fs"
import type { KeyObject } from "node:crypto"
import { fromJsonString } from "@bufbuild/protobuf"
import { type Pins, PinsSchema } from "../../../proto/gen/countersign/state/v1/setup_pb.ts"
import type { ArchiveFile } from "../backup/archive.ts"
import { CHUNK_BYTES } from "../backup/part.ts"
import { type HolderKey, readHolderKeys, readHolderPrivateKey } from "../backup/keys.ts"
import { UsageFault } from "../command-line.ts"

/** A file of an archive on this host. @throws {UsageFault} */
export function archiveFile(path: string): ArchiveFile {
  try {
    accessSync(path, constants.R_OK)
  } catch (error) {
    throw unreadable(path, error)
  }
  return { name: path, read: () => createReadStream(path, { highWaterMark: CHUNK_BYTES }) }
}

/** Public keys of those who can open the backup. @throws {UsageFault} */
export function holdersIn(path: string): HolderKey[] {
  try {
    return readHolderKeys(readText("--to", path))
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new UsageFault(`--to ${path}: ${error.message}`)
  }
}

/** The private key that opens a backup. @throws {UsageFault} */
export function privateKeyIn(path: string): KeyObject {
  const key = readHolderPrivateKey(readText("--key", path))
  if (key !== undefined) return key
  throw new UsageFault(`--key ${path}: it is no private P-256 key; use PEM, or 64 hexadecimal digits`)
}

/** Pins as countersign-signer pins --json prints them. @throws {UsageFault} */
export function pinsIn(path: string): Pins {
  const text = readText("--pins", path)
  try {
    return fromJsonString(PinsSchema, text)
  } catch {
    throw new UsageFault(
      `--pins ${path}: these are no pins; write what countersign-signer pins --json prints`,
    )
  }
}

function readText(option: string, path: string): string {
  try {
    return readFileSync(path, "utf8")
  } catch (error) {
    throw unreadable(`${option} ${path}`, error)
  }
}

/** The fault of a file that an operator named. */
function unreadable(named: string, error: unknown): UsageFault {
  const code = (error as NodeJS.ErrnoException).code ?? "?"
  return new UsageFault(`${named}: the file cannot be read (${code}); name a file that this user may read`)
}
