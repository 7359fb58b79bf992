// Makes test/golden/sealed-seed-<format>.json: run by hand when a release brings a new format, never for an old one.
//
//     node test/golden/make-sealed-seed.ts > test/golden/sealed-seed-1.json
import { createHash } from "node:crypto"
import { Secret } from "../../signer/core/crypto/secret.ts"
import { writeSealedSeed } from "../../signer/core/sealed-seed/format.ts"
import { readPassphrase } from "../../signer/core/sealed-seed/passphrase.ts"
import { sealSeed } from "../../signer/core/sealed-seed/seal.ts"
import { wordsOfShare } from "../../signer/core/sealed-seed/share-words.ts"
import { random, TERMS } from "../signer/core/sealed-seed/sets.ts"

const seed = createHash("sha256").update("a seed that protects nothing").digest()
const commandKey = createHash("sha256").update("a key that a command gave").digest()
const passphrase = "a passphrase that protects nothing"

const { sealed, shares } = await sealSeed(
  Secret.copyOf(seed),
  TERMS,
  {
    passphrase: readPassphrase(passphrase),
    command: { key: Secret.copyOf(commandKey), blob: Buffer.from("a blob") },
  },
  random,
)
const golden = {
  dangerouslyRevealedSeed: seed.toString("hex"),
  passphrase,
  commandKey: commandKey.toString("hex"),
  file: Buffer.from(writeSealedSeed(sealed)).toString("hex"),
  shares: shares.map((share) => wordsOfShare(share).join(" ")),
}
process.stdout.write(`${JSON.stringify(golden, undefined, 2)}\n`)
