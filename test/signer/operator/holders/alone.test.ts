// One operator alone, with the real commands: every act of holders is refused to them.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import type { ActName } from "../../../../signer/core/holder-acts/acts.ts"
import { Holder } from "../../../harness/holder-keys.ts"
import { PASSPHRASE, sealedSigner } from "../sealed-signer.ts"

const KEY = new Holder().hex
const BY_PASSPHRASE = ["--by", "passphrase"]

/** Each act as an operator with the daily passphrase does it. */
const COMMANDS: { readonly [act in ActName]: readonly string[] } = {
  "accept-clock": ["accept-clock"],
  "accept-ledger": ["accept-ledger", "--restored"],
  "setup-code": ["setup-code", "--for", KEY],
  "change-shares": ["change-shares", "--shares", "3", "--threshold", "2"],
  "change-witnesses": ["change-witnesses", ...BY_PASSPHRASE],
  "export-authority": ["export-authority", "exported.pem"],
  "leave-production": ["leave-production", ...BY_PASSPHRASE],
}

t.test("W116: every act of holders is refused to one operator with a daily way", async (t) => {
  const production = { COUNTERSIGN_PRODUCTION: "true" }
  const own = {
    holders: [new Holder(), new Holder(), new Holder()].map(({ hex }) => hex),
    approvesSetupCodes: true,
    sealsAuthority: true,
  }
  const { run, directory } = await sealedSigner(t, production, own)
  const unlocked = await run(["unlock", "--passphrase"], `${PASSPHRASE}\n`, production)
  t.match(unlocked, { status: 0 })
  const files = ["signer/root-seed", "authority/ca.key"].map((name) => join(directory, name))
  const before = files.map((file) => readFileSync(file))
  for (const [act, words] of Object.entries(COMMANDS)) {
    const { status, log } = await run(words, `${PASSPHRASE}\n`, production)
    // The clock is in no doubt here: holders accept one that is in test/signer/enclave/holder-acts.test.ts.
    if (act === "accept-clock") t.match({ status, log }, { status: 3, log: /there is nothing to accept/ })
    // A change of shares asks holders for theirs at a terminal, which an operator alone cannot do either.
    else if (act === "change-shares") t.match({ status, log }, { status: 2, log: /needs a terminal/ })
    else t.match({ status, log }, { status: 3, log: new RegExp(`${act} needs the approval of 2 of 3`) }, act)
  }
  t.strictSame(
    files.map((file) => readFileSync(file)),
    before,
  )
})
