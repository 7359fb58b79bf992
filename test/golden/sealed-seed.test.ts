// Sealed seeds of every released format open in every way, whatever this release writes itself.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import { Secret } from "../../signer/core/crypto/secret.ts"
import { readSealedSeed, slotOf } from "../../signer/core/sealed-seed/format.ts"
import { openByKey, openByPassphrase, openByShares } from "../../signer/core/sealed-seed/open.ts"
import { readPassphrase } from "../../signer/core/sealed-seed/passphrase.ts"
import { readShare } from "../../signer/core/sealed-seed/share.ts"
import { readShareWords } from "../../signer/core/sealed-seed/share-words.ts"
import { subsets } from "../signer/core/sealed-seed/sets.ts"

/** One for each released format, never changed once it is here. */
const FILES = ["sealed-seed-1.json"]

type Golden = {
  dangerouslyRevealedSeed: string
  passphrase: string
  commandKey: string
  file: string
  shares: string[]
}

const hexOf = (seed: Secret) => seed.use((bytes) => Buffer.from(bytes).toString("hex"))

for (const file of FILES) {
  const golden = JSON.parse(readFileSync(join(import.meta.dirname, file), "utf8")) as Golden
  const sealed = readSealedSeed(Buffer.from(golden.file, "hex"))
  const seed = golden.dangerouslyRevealedSeed

  t.test(`${file}: each threshold of shares, the passphrase and the command's key open it`, async (t) => {
    const points = () => golden.shares.map((words) => readShareWords(words).use(readShare).point)
    for (const some of subsets(points(), sealed.header.threshold))
      t.equal(hexOf(await openByShares(sealed, some)), seed)
    t.equal(hexOf(await openByPassphrase(sealed, readPassphrase(golden.passphrase))), seed)
    t.equal(hexOf(openByKey(sealed, Secret.copyOf(Buffer.from(golden.commandKey, "hex")))), seed)
    t.equal(Buffer.from(slotOf(sealed, "command")?.kind.value.blob ?? "").toString(), "a blob")
  })
}
