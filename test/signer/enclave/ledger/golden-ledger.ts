import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import { type Ledger, OUTCOMES } from "../../../../signer/enclave/ledger/ledger.ts"
import { type LedgerOptions, openLedger } from "../../../../signer/enclave/ledger/local.ts"
import { type GoldenLedger, HEAD, ROWS, WAITING } from "../../../golden/ledger.ts"
import { neverTerminate } from "./harness.ts"

export function readGolden(file: string): GoldenLedger {
  const path = new URL(`../../../golden/${file}`, import.meta.url)
  return JSON.parse(readFileSync(path, "utf8")) as GoldenLedger
}

/** The golden ledger's files in a directory. */
export function unpack(golden: GoldenLedger, directory: string): string {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  for (const [name, packed] of Object.entries(golden.files))
    writeFileSync(join(directory, name), gunzipSync(Buffer.from(packed, "base64")), { mode: 0o600 })
  return directory
}

export function openGolden(
  { key, ownRows }: GoldenLedger,
  directory: string,
  options: Partial<LedgerOptions> = {},
): Ledger {
  const places = { directory, key: new Uint8Array(Buffer.from(key, "hex")), limits: { ownRows } }
  return openLedger({ ...places, terminate: neverTerminate, ...options })
}

/** Everything that was written to a golden ledger, as the opened one has it. */
export function contentOf(ledger: Ledger) {
  const rows = [...Object.entries(ROWS), [OUTCOMES, WAITING] as const].flatMap(([shard, written]) =>
    written.map(({ kind, key }) => [shard, kind, key, ledger.row(shard, kind, key)]),
  )
  const heads = ["org", "twin"].map((id) => ledger.head(id))
  const times = [ledger.timeFloorMs(), ledger.quietUntilMs()]
  return { rows, heads, times, outcomes: ledger.rows(OUTCOMES, "outcome") }
}

/** The same, of what make-ledger.ts wrote. */
export function expectedContent({ floorMs, quietUntilMs }: GoldenLedger) {
  const rows = [...Object.entries(ROWS), [OUTCOMES, WAITING] as const].flatMap(([shard, written]) =>
    written.map(({ kind, key, value }) => [shard, kind, key, value]),
  )
  return { rows, heads: [HEAD, HEAD], times: [floorMs, quietUntilMs], outcomes: WAITING }
}
