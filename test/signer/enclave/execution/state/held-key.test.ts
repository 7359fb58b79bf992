import t from "tap"
import { HeldKey } from "../../../../../signer/enclave/execution/state/held-key.ts"

const ORGANIZATION = "00000000-0000-4000-8000-000000000001"
const value = Uint8Array.of(1, 2)

/** A key that was opened by a row and by the absence of another, in a ledger that has these values now. */
function held(rows: { [name: string]: Uint8Array | undefined }) {
  const wiped: string[] = []
  const read = [
    { kind: "record" as const, key: "wallet", value },
    { kind: "address" as const, key: "account", value: undefined },
  ]
  const key = new HeldKey({ wipe: () => wiped.push("key") } as never, read)
  const ledger = { row: (...name: string[]) => rows[name.join(" ")], sequence: () => 1n }
  return { key, wiped, isCurrent: key.isCurrent(ledger, ORGANIZATION) }
}

const wallet = `${ORGANIZATION} record wallet`
const account = `${ORGANIZATION} address account`

t.test("A4: a key in clear is current while the ledger has every row as it was", async (t) => {
  t.ok(held({ [wallet]: Uint8Array.from(value) }).isCurrent)
  t.notOk(held({}).isCurrent, "a row was removed")
  t.notOk(held({ [wallet]: Uint8Array.of(1, 3) }).isCurrent, "a row was changed")
  t.notOk(held({ [wallet]: new Uint8Array(0) }).isCurrent, "a row was emptied")
  t.notOk(held({ [wallet]: value, [account]: new Uint8Array(0) }).isCurrent, "a row came")
  t.notOk(held({ [`other record wallet`]: value }).isCurrent, "another organization's row")
})

t.test("the rows of a key in clear are read again after each transaction of the ledger", async (t) => {
  const { key } = held({})
  const rows: { [name: string]: Uint8Array } = { [wallet]: value }
  let sequence = 7n
  let reads = 0
  const ledger = {
    row(...name: string[]) {
      reads += 1
      return rows[name.join(" ")]
    },
    sequence: () => sequence,
  }
  t.ok(key.isCurrent(ledger, ORGANIZATION))
  t.equal(reads, 2)
  t.ok(key.isCurrent(ledger, ORGANIZATION))
  t.equal(reads, 2)
  sequence = 8n
  t.ok(key.isCurrent(ledger, ORGANIZATION))
  t.equal(reads, 4)
  delete rows[wallet]
  sequence = 9n
  t.notOk(key.isCurrent(ledger, ORGANIZATION))
  t.notOk(key.isCurrent(ledger, ORGANIZATION), "a key that is not current stays so within one sequence")
})

t.test("a key in clear is wiped", async (t) => {
  const { key, wiped } = held({})
  key.wipe()
  t.same(wiped, ["key"])
})
