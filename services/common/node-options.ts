import { existsSync } from "node:fs"
import { join } from "node:path"
import { PLAIN_LOADER } from "../../signer/core/release/file-list.ts"

const loader = join(import.meta.dirname, "../..", PLAIN_LOADER)

/**
 * Options of Node for every program that a program starts: it must not open a debugger on SIGUSR1, also not before it runs our code. The
 * code of a release has no types, so Node need not look for them.
 */
export const NODE_OPTIONS: readonly string[] = [
  "--disable-sigusr1",
  ...(existsSync(loader) ? [`--import=${loader}`] : []),
]
