// Samples of daily commands, and of a holder's card, with the real programs of key stores.
import { spawn, spawnSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import t, { type Test } from "tap"
import { Secret } from "../../../signer/core/crypto/secret.ts"
import {
  readCommandKey,
  runSlotCommand,
  writeCommandKey,
} from "../../../signer/core/seal-commands/slot-command.ts"
import type { Argv } from "../../../signer/core/settings/argv.ts"

const sampleOf = (name: string) => resolve("examples/key-stores", name)

/** Reason of a test without its programs. */
const missing = (...programs: string[]) => {
  const absent = programs.filter((name) => spawnSync("sh", ["-c", `command -v ${name}`]).status !== 0)
  return absent.length === 0 ? false : `${absent.join(", ")}: missing on this machine, not run`
}

/** A folder with a short name, for sockets; settings of commands in the environment of this process. */
function surroundings(t: Test, settings: (folder: string) => NodeJS.Dict<string>) {
  const folder = mkdtempSync(join(tmpdir(), "cs-keys-"))
  const own = settings(folder)
  Object.assign(process.env, own)
  t.teardown(() => {
    for (const name of Object.keys(own)) delete process.env[name]
    rmSync(folder, { recursive: true, force: true })
  })
  return folder
}

function run(t: Test, program: string, ...words: string[]) {
  const { status, stderr, stdout } = spawnSync(program, words)
  t.equal(status, 0, `${program} ${words.join(" ")} ${stderr.toString()}`)
  return stdout
}

/** Wraps a key, gives it again, and names a blob that was changed. */
async function wraps(t: Test, { seal, unseal }: { seal: Argv; unseal: Argv }) {
  const key = randomBytes(32)
  const blob = await runSlotCommand(seal, writeCommandKey(Secret.copyOf(key)))
  t.ok(blob.length <= 4096, `${blob.length} bytes`)
  t.notOk(blob.use((bytes) => Buffer.from(bytes).includes(key.toString("hex"))))
  const again = readCommandKey(await runSlotCommand(unseal, blob))
  t.strictSame(
    again.use((bytes) => Buffer.from(bytes)),
    key,
  )
  const changed = blob.use((bytes) => {
    const at = Math.floor(bytes.length / 2)
    const other = Buffer.from(bytes)
    other[at] = other[at] === 0x41 ? 0x42 : 0x41
    return other
  })
  await t.rejects(runSlotCommand(unseal, Secret.copyOf(changed)), {
    message: /ended with status.*Nothing was changed; shares always open the seed/,
  })
  return blob
}

const CREDS = {
  seal: ["systemd-creds", "encrypt", "--with-key=host", "--name=seed", "-", "-"],
  unseal: ["systemd-creds", "decrypt", "--name=seed", "-", "-"],
} as const

/** Needs the host's key, which root alone makes and reads. */
const hasHostKey = spawnSync(CREDS.seal[0], CREDS.seal.slice(1), { input: "x" }).status === 0

t.test(
  "systemd-creds wraps the key of a slot and gives it again, and names a changed blob",
  { skip: hasHostKey ? false : "systemd-creds is missing, or has no key of this host: not run" },
  async (t) => void (await wraps(t, CREDS)),
)

const MODULE = ["/usr/lib/softhsm/libsofthsm2.so", "/usr/lib64/pkcs11/libsofthsm2.so"].find(existsSync) ?? ""
const noToken =
  missing("softhsm2-util", "pkcs11-tool", "openssl") || (MODULE === "" && "libsofthsm2.so: not run")

/** A token of softhsm2 with a new key pair. */
function token(t: Test, label: string, type: string, ...usage: string[]) {
  const folder = surroundings(t, (own) => ({
    SOFTHSM2_CONF: join(own, "softhsm.conf"),
    PKCS11_MODULE: MODULE,
    PKCS11_TOKEN: "countersign",
    PKCS11_PIN: "1234",
    PKCS11_PIN_FILE: join(own, "pin"),
    PKCS11_PUBLIC_KEY: join(own, "seal.pem"),
  }))
  writeFileSync(
    join(folder, "softhsm.conf"),
    `directories.tokendir = ${folder}\nobjectstore.backend = file\n`,
  )
  writeFileSync(join(folder, "pin"), "1234\n")
  run(
    t,
    "softhsm2-util",
    "--init-token",
    "--free",
    "--label",
    "countersign",
    "--pin",
    "1234",
    "--so-pin",
    "12345678",
  )
  const at = ["--module", MODULE, "--token-label", "countersign", "--label", label]
  run(t, "pkcs11-tool", ...at, "--login", "--pin", "1234", "--keypairgen", "--key-type", type, ...usage)
  return { folder, at }
}

t.test("a token wraps the key of a slot and gives it again, by PKCS #11", { skip: noToken }, async (t) => {
  const { folder, at } = token(t, "countersign", "rsa:2048", "--usage-decrypt")
  run(t, "pkcs11-tool", ...at, "--read-object", "--type", "pubkey", "--output-file", join(folder, "public"))
  const publicKey = run(t, "openssl", "pkey", "-pubin", "-inform", "DER", "-in", join(folder, "public"))
  writeFileSync(join(folder, "seal.pem"), publicKey)
  const blob = await wraps(t, {
    seal: [sampleOf("pkcs11.sh"), "seal"],
    unseal: [sampleOf("pkcs11.sh"), "unseal"],
  })
  writeFileSync(join(folder, "pin"), "4321\n")
  await t.rejects(runSlotCommand([sampleOf("pkcs11.sh"), "unseal"], blob), { message: /CKR_PIN_INCORRECT/ })
})

t.test("a card signs the text of an act for its holder", { skip: noToken }, async (t) => {
  const { folder } = token(t, "holder", "EC:prime256v1", "--usage-sign")
  const path = (name: string) => join(folder, name)
  writeFileSync(path("holder.pem"), run(t, sampleOf("card.sh"), "public-key"))
  const text = readFileSync("docs/formats/holder-act.md", "utf8").match(
    /^ {4}(countersign\/v1\/holder-act\n(?: {4}.*\n)+)/m,
  )
  writeFileSync(path("act.txt"), (text?.[1] ?? "").replaceAll(/^ {4}/gm, ""))
  writeFileSync(path("act.sig"), run(t, sampleOf("card.sh"), "sign", path("act.txt")))
  const words = [
    "holder",
    "sign",
    path("act.txt"),
    "--signature",
    path("act.sig"),
    "--for",
    path("holder.pem"),
  ]
  const sign = () =>
    spawnSync(process.execPath, ["signer/operator/main.ts", ...words], { input: "yes\n", encoding: "utf8" })
  const { status, stdout, stderr } = sign()
  t.equal(status, 0, stderr)
  t.match(JSON.parse(stdout), { publicKey: /^0[23]/, signature: /^30/ })
})

t.test(
  "a TPM wraps the key of a slot, and gives it while its PCR is as it was",
  { skip: missing("swtpm", "tpm2_createprimary") },
  async (t) => {
    const folder = surroundings(t, (own) => ({ TPM2TOOLS_TCTI: `swtpm:path=${join(own, "tpm")}` }))
    const socket = join(folder, "tpm")
    const words = [
      "socket",
      "--tpm2",
      "--tpmstate",
      `dir=${folder}`,
      "--flags",
      "not-need-init,startup-clear",
    ]
    const ends = ["--server", `type=unixio,path=${socket}`, "--ctrl", `type=unixio,path=${socket}.ctrl`]
    const tpm = spawn("swtpm", [...words, ...ends], { stdio: "ignore" })
    t.teardown(() => tpm.kill())
    while (!existsSync(`${socket}.ctrl`)) await new Promise((done) => setTimeout(done, 20))
    const unseal = [sampleOf("tpm2.sh"), "unseal"] as const
    const blob = await wraps(t, { seal: [sampleOf("tpm2.sh"), "seal"], unseal })
    run(t, "tpm2_pcrextend", `7:sha256=${"ab".repeat(32)}`)
    await t.rejects(runSlotCommand(unseal, blob), { message: /policy check failed|ended with status/ })
  },
)
