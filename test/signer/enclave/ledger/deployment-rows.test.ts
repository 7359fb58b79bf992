// Rows of the deployment itself, which no organization has.
import t from "tap"
import { DEPLOYMENT, deploymentChange, type LedgerRow } from "../../../../signer/enclave/ledger/ledger.ts"
import { bytes, create, open, tamper } from "./harness.ts"

const code: LedgerRow = { kind: "setup", key: "code", value: bytes("spent") }

t.test("rows of the deployment are put, required to be absent and removed", async (t) => {
  const directory = t.testdir()
  const ledger = create(directory)
  await ledger.commit([deploymentChange(ledger, { put: [code] })])
  t.strictSame(ledger.row(DEPLOYMENT, "setup", "code"), code.value)
  await t.rejects(ledger.commit([deploymentChange(ledger, { mustBeAbsent: [code] })]), {
    code: "ORGANIZATION_BUSY",
  })
  await ledger.commit([deploymentChange(ledger, { remove: [code] })])
  t.equal(ledger.row(DEPLOYMENT, "setup", "code"), undefined)
  t.strictSame(ledger.organizations("", 10), [], "the deployment is no organization")
  await ledger.close()
  await open(directory).close()
  tamper(directory, (database) => {
    const ids = database.prepare("SELECT id FROM organization").all()
    t.same(ids, [{ id: "" }], "its id in the file")
  })
})

t.test("a ledger that lacks the deployment's rows takes no change of them", async (t) => {
  t.throws(() => deploymentChange({ head: () => undefined }, {}), /from its start/)
})
