// A ledger of every format opens with all its rows, whatever this release writes itself.
import t from "tap"
import {
  contentOf,
  expectedContent,
  openGolden,
  readGolden,
  unpack,
} from "../signer/enclave/ledger/golden-ledger.ts"

/** One for each format, never changed once it is here. */
const FILES = ["ledger-2.json", "ledger-3.json"]

for (const file of FILES)
  t.test(`${file}: the ledger opens with its rows, heads and times`, async (t) => {
    const golden = readGolden(file)
    const directory = unpack(golden, t.testdir())
    for (const when of ["first start", "next start"]) {
      const ledger = openGolden(golden, directory)
      t.strictSame(contentOf(ledger), expectedContent(golden), when)
      t.ok(ledger.sequence() >= BigInt(golden.sequence))
      await ledger.close()
    }
  })
