// Makes test/golden/ledger-<format>.json: run by hand when a release brings a new format, never for an old one.
//
//     node test/golden/make-ledger.ts > test/golden/ledger-3.json
import { mkdtempSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { createLedger } from "../../signer/enclave/ledger/create-ledger.ts"
import { deploymentChange, OUTCOMES } from "../../signer/enclave/ledger/ledger.ts"
import { openLedger } from "../../signer/enclave/ledger/local.ts"
import { type GoldenLedger, HEAD, OWN_ROWS, ROWS, WAITING } from "./ledger.ts"

const directory = mkdtempSync(join(tmpdir(), "golden-ledger-"))
const key = new Uint8Array(32).fill(11)
createLedger({ directory, key })
const terminate = (error: unknown) => {
  throw error
}
const ledger = openLedger({ directory, key, terminate, limits: { ownRows: OWN_ROWS } })
await ledger.resetTimeFloor(1e12, 1e12 + 1)
for (const organizationId of ["org", "twin"]) {
  const put = ROWS[organizationId] ?? []
  await ledger.commit([
    { organizationId, expect: undefined, head: HEAD, put, remove: [], notesSequence: true },
  ])
}
await ledger.commit([deploymentChange(ledger, { put: ROWS[""] ?? [] })])
for (const shard of ["org#0123", "#4567"]) await ledger.commit([], [{ shard, put: ROWS[shard] ?? [] }])
await ledger.commit([], [{ shard: OUTCOMES, put: WAITING }])
const sequence = String(ledger.sequence())
await ledger.close()

const golden: GoldenLedger = {
  key: Buffer.from(key).toString("hex"),
  files: Object.fromEntries(
    ["ledger.sqlite", "ledger.witness"].map((name) => [
      name,
      gzipSync(readFileSync(join(directory, name))).toString("base64"),
    ]),
  ),
  sequence,
  floorMs: 1e12,
  quietUntilMs: 1e12 + 1,
  ownRows: OWN_ROWS,
}
console.log(JSON.stringify(golden, undefined, 2))
