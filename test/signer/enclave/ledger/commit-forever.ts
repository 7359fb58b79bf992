/**
 * Child process of crash.test.ts: commits to organizations 0 to 3 in a loop until killed, and prints
 * `organization version` for each commit that was acknowledged. Arguments: the ledger's directory, rows of a commit.
 */
import { writeSync } from "node:fs"
import { type OrganizationHead } from "../../../../signer/enclave/ledger/ledger.ts"
import { bytes, head, open } from "./harness.ts"

const [, , directory = "", rowCount] = process.argv
const ledger = open(directory)
const rows = Number(rowCount)

async function run(organizationId: string): Promise<never> {
  for (;;) {
    const expect: OrganizationHead | undefined = ledger.head(organizationId)
    const version = Number(expect?.version ?? 0n) + 1
    const value = bytes("x".repeat(version % 3000))
    const put = Array.from({ length: rows }, (_, index) => ({
      kind: "fingerprint" as const,
      key: `${version} ${index}`,
      value,
    }))
    await ledger.commit([{ organizationId, expect, head: head(version), put, remove: [] }])
    writeSync(1, `${organizationId} ${version}\n`)
  }
}

await Promise.all(["0", "1", "2", "3"].map(run))
