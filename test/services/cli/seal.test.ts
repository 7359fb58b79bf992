import { writeFileSync } from "node:fs"
import { join } from "node:path"
import t, { type Test } from "tap"
import { generateApiKey } from "../../../services/terminal-client/api-key.ts"
import { bindKey, writeKey } from "../../../services/terminal-client/key-folder.ts"
import { openEnvelope } from "../../../signer/core/crypto/envelope.ts"
import { openSealedKey } from "../../../signer/core/fetch-orders/on-ramp-key.ts"
import { decodeSealedKey } from "../../../signer/core/fetch-orders/sealed-key-text.ts"
import { newIdentity, newKeySet } from "../../harness/fetcher.ts"
import { commandLine } from "./command-line.ts"

const ACME = "aaaaaaaa-0000-4000-8000-00000000000b"
const { keySet: fetcher, onRampKey, publicHex } = newIdentity()
const pins = {
  deploymentId: ACME,
  signerPublicKey: newKeySet().publicHex,
  notarizerPublicKey: newKeySet().publicHex,
  fetcherPublicKey: fetcher.publicHex,
  onRampPublicKey: publicHex.slice(260),
}

/** A profile with pins and a file of the secret. */
function profile(t: Test, secret = "top secret\n", trusted: object = pins) {
  const directory = t.testdir({ "pins.json": JSON.stringify(trusted), "secret.txt": secret })
  const file = join(directory, "secret.txt")
  const seal = (...words: string[]) =>
    commandLine({ COUNTERSIGN_DATA_DIR: directory }, "seal", "client-secret", file, ...words)
  const sealKey = (...words: string[]) =>
    commandLine({ COUNTERSIGN_DATA_DIR: directory }, "seal", "on-ramp-key", file, ...words)
  return { directory, seal, sealKey }
}

function opened(sealedHex: string): string | undefined {
  const secret = openEnvelope(fetcher.encrypt.privateKey, Buffer.from(sealedHex, "hex"))
  return secret?.use((bytes) => Buffer.from(bytes).toString())
}

t.test(
  "seal client-secret binds the secret to the organization, and the pinned fetcher opens it",
  async (t) => {
    const { seal } = profile(t)
    const { status, out, log } = await seal("--organization", ACME.toUpperCase())
    t.equal(status, 0, log)
    t.equal(opened(out), `countersign/v1/client-secret:${ACME}:top secret`)
    const json = JSON.parse((await seal("--organization", ACME, "--json")).out) as {
      encryptedClientSecret: string
    }
    t.equal(opened(json.encryptedClientSecret), opened(out))
    t.not(json.encryptedClientSecret, out, "every time with another key")
  },
)

t.test(
  "seal on-ramp-key binds the key to the organization, and the pinned on-ramp key opens it",
  async (t) => {
    const { sealKey } = profile(t, "-----BEGIN EC PRIVATE KEY-----\nAA==\n-----END EC PRIVATE KEY-----\n")
    const { status, out, log } = await sealKey("--organization", ACME)
    t.equal(status, 0, log)
    const text = openSealedKey(onRampKey, decodeSealedKey(out)!)?.use((bytes) =>
      Buffer.from(bytes).toString(),
    )
    const key = "-----BEGIN EC PRIVATE KEY-----\nAA==\n-----END EC PRIVATE KEY-----"
    t.equal(text, `countersign/v1/on-ramp-key:${ACME}:${key}`)
    const json = JSON.parse((await sealKey("--organization", ACME, "--json")).out) as object
    t.strictSame(Object.keys(json), ["encryptedApiKey"])
    const { onRampPublicKey: _, ...older } = pins
    const faults: [trusted: object, log: RegExp][] = [
      [older, /names no on-ramp key/],
      [{ ...pins, onRampPublicKey: `05${"00".repeat(32)}` }, /names no on-ramp key/],
    ]
    for (const [trusted, log] of faults)
      t.match(await profile(t, "s", trusted).sealKey("--organization", ACME), { status: 2, out: "", log })
  },
)

t.test("seal client-secret takes the organization of the key", async (t) => {
  const { directory, seal } = profile(t)
  t.match(await seal(), { status: 2, log: /no key "root"/ })
  await writeKey(join(directory, "keys"), "root", generateApiKey())
  t.match(await seal(), { status: 2, log: /no organization/ })
  await bindKey(join(directory, "keys"), "root", ACME)
  t.match(opened((await seal()).out), new RegExp(`:${ACME}:`))
})

t.test("seal client-secret refuses what it cannot seal, and names it", async (t) => {
  const faults: [secret: string, words: string[], log: RegExp][] = [
    ["\n", ["--organization", ACME], /the client secret is empty/],
    ["s", ["--organization", "acme"], /--organization acme: not an organization's id/],
    ["s", ["--organization", ACME, "--pins", "nowhere.json"], /nowhere.json cannot be read/],
  ]
  for (const [secret, words, log] of faults)
    t.match(await profile(t, secret).seal(...words), { status: 2, out: "", log })
  const { fetcherPublicKey: _, ...unpaired } = pins
  const { seal, directory } = profile(t, "s", unpaired)
  t.match(await seal("--organization", ACME), { status: 2, log: /names no fetcher/ })
  writeFileSync(join(directory, "pins.json"), "[]")
  t.match(await seal("--organization", ACME), { status: 2, log: /holds no pins/ })
})
