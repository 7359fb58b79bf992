/** Child process of broken-invariant.test.ts: commits, then breaks an invariant in a change. Argument: the ledger's directory. */
import { writeSync } from "node:fs"
import { requireInvariant } from "../../../../signer/core/invariant.ts"
import { head, open } from "./harness.ts"

const terminate = () => process.exit(70)
const ledger = open(process.argv[2] ?? "", { terminate })
await ledger.commit([{ organizationId: "one", expect: undefined, head: head(1), put: [], remove: [] }])
writeSync(1, "written\n")
const put = [{ kind: "fingerprint" as const, key: "broken", value: new Uint8Array(1) }]
const next = (value: Uint8Array | undefined) => {
  requireInvariant(value !== undefined, "the row is there")
  return value
}
await ledger
  .commit([], [{ shard: "one#0000", put, update: [{ kind: "identity", key: "none", next }] }])
  .finally(() => writeSync(1, "answered\n"))
