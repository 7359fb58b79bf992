// D1: no secret of the signer appears in a log, a row or a reply.
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { fromBinary } from "@bufbuild/protobuf"
import t from "tap"
import { RecordKind, RecordSchema } from "../../proto/gen/countersign/state/v1/record_pb.ts"
import { Secret } from "../../signer/core/crypto/secret.ts"
import { openKeyring } from "../../signer/enclave/provision/keyring.ts"
import { openSecret } from "../../signer/enclave/records/record.ts"
import { apiKey, ethereumAccount, signParams } from "../harness/api-client.ts"
import { Reader, sealHex, sealText } from "../harness/bundles.ts"
import { freshDatabase } from "../harness/database.ts"
import { Recipient, sealSecret, SUITE } from "../harness/secrets.ts"
import { newKey } from "../harness/stamper.ts"
import { privateKeyHex, System } from "../harness/system.ts"

const TABLES = ["organizations", "identities", "records", "activities"]

t.test("D1: seeds, mnemonics and private keys appear nowhere outside the signer", async (t) => {
  const { url: databaseUrl, sql } = await freshDatabase(t)
  const system = await System.start(databaseUrl, { COUNTERSIGN_LOG_LEVEL: "debug" })
  t.teardown(() => system.stop())
  const replies: string[] = []
  const { organizationId, root, rootUserId } = await system.createOrganization()
  const second = newKey()
  const ask = async (path: string, body: string, key = root) => {
    const { text } = await system.post(path, body, key)
    replies.push(text)
    return text
  }
  const parameters = { walletName: "First", accounts: [ethereumAccount(0)] }
  const created = await ask("submit/create_wallet", system.body("CREATE_WALLET", organizationId, parameters))
  const address = /0x[0-9a-fA-F]{40}/.exec(created)![0]
  const sign = (payload?: string) =>
    system.body("SIGN_RAW_PAYLOAD_V2", organizationId, signParams(address, payload))
  const keys = { userId: rootUserId, apiKeys: [apiKey(second, "second")] }
  const { signerPublicKey: bothPoints } = openKeyring(seedOf(system)).pins
  const whose = { organizationId, userId: rootUserId, signerPublicKey: bothPoints.slice(130) }
  const carried = {
    words: `${"zoo ".repeat(11)}wrong`,
    passphrase: "a passphrase of its own",
    key: "5c".repeat(32),
    content: "a secret of any content",
  }
  await bringInAndOut()
  async function bringInAndOut(): Promise<void> {
    const { targetPublicKey } = new Reader()
    const submit = async (path: string, parameters: object) =>
      ask(`submit/${path}`, system.body(path.toUpperCase(), organizationId, parameters))
    const targetOf = (reply: string) => {
      const { activity } = JSON.parse(reply)
      return Object.values<{ importBundle: string }>(activity.result)[0]!.importBundle
    }
    const target = targetOf(await submit("init_import_wallet", { userId: rootUserId }))
    const text = `${carried.words}\n${carried.passphrase}`
    const wallet = { userId: rootUserId, walletName: "Imported", accounts: [ethereumAccount(0)] }
    const broken = await sealText(carried.words.slice(4), target, whose)
    await submit("import_wallet", { ...wallet, encryptedBundle: broken })
    const sealed = await sealText(text, target, whose)
    const imported = await submit("import_wallet", { ...wallet, encryptedBundle: sealed })
    const { walletId, addresses } = JSON.parse(imported).activity.result.importWalletResult
    await submit("export_wallet", { walletId, targetPublicKey })
    await submit("export_wallet_account", { address: addresses[0], targetPublicKey })
    const keyTarget = targetOf(await submit("init_import_private_key", { userId: rootUserId }))
    const key = {
      userId: rootUserId,
      privateKeyName: "Imported",
      curve: "CURVE_SECP256K1",
      addressFormats: [],
    }
    const sealedKey = await sealHex(carried.key, keyTarget, whose)
    const made = await submit("import_private_key", { ...key, encryptedBundle: sealedKey })
    const { privateKeyId } = JSON.parse(made).activity.result.importPrivateKeyResult
    await submit("export_private_key", { privateKeyId, targetPublicKey })
    t.match(replies.at(-1), /exportBundle/)
    const ready = await submit("init_import_secrets", { encryptionSuite: SUITE, numSecrets: 1 })
    const [message] = JSON.parse(ready).activity.result.initImportSecretsResult.enclaveTargetMessages
    const secret = await sealSecret({ plaintext: carried.content, name: "Imported" }, message, whose)
    const stored = await submit("import_secrets", { secrets: [secret] })
    const [secretId] = JSON.parse(stored).activity.result.importSecretsResult.secretIds
    await submit("export_secrets", { secrets: [new Recipient().asks(secretId)] })
    t.match(replies.at(-1), /secretPayloads/)
  }
  await ask("submit/create_api_keys", system.body("CREATE_API_KEYS_V2", organizationId, keys))
  await ask("submit/sign_raw_payload", sign())
  await ask("submit/sign_raw_payload", sign(), newKey())
  await ask("submit/sign_raw_payload", sign("zz"))
  await ask("submit/sign_raw_payload", sign().slice(1))
  for (const path of [
    "list_wallets",
    "list_wallet_accounts",
    "list_secrets",
    "list_users",
    "list_activities",
    "get_organization",
  ])
    await ask(`query/${path}`, JSON.stringify({ organizationId }))
  await system.killSigner()
  await ask("submit/sign_raw_payload", sign("11".repeat(32)))
  await system.startSigner()

  const seed = readFileSync(join(system.directory, "signer", "root-seed"))
  const keyring = openKeyring(seedOf(system))
  const rows = await sql`select bytes from records where kind = ${RecordKind.WALLET} order by id`
  const packed = rows.map(({ bytes }) =>
    openSecret(fromBinary(RecordSchema, bytes), keyring.records).use((secret) => Buffer.from(secret)),
  )
  t.equal(packed.length, 2)
  const [wallet, imported] = packed
  const canaries: [string, Buffer][] = [
    ["root seed", seed],
    ["ledger key", keyring.ledger.use((bytes) => Buffer.from(bytes))],
    ["sealing key", keyring.records.seal.use((bytes) => Buffer.from(bytes))],
    ["entropy of the words", wallet!.subarray(1, 1 + wallet![0]!)],
    ["wallet seed", wallet!.subarray(wallet!.length - 64)],
    ["imported entropy", imported!.subarray(1, 1 + imported![0]!)],
    ["imported seed", imported!.subarray(imported!.length - 64)],
    ["imported words", Buffer.from(carried.words)],
    ["imported passphrase", Buffer.from(carried.passphrase)],
    ["imported secret", Buffer.from(carried.content)],
    ["imported key", Buffer.from(carried.key, "hex")],
    ["a user's private key", Buffer.from(privateKeyHex(root), "hex")],
    ["another private key", Buffer.from(privateKeyHex(second), "hex")],
  ]
  const places: [string, Buffer][] = [
    ["the signer's log", Buffer.from(system.logOf("signer"))],
    ["the API's log", Buffer.from(system.logOf("api"))],
    ["replies", Buffer.from(replies.join("\n"))],
    ["the database", await dump()],
    ...files(join(system.directory, "signer", "ledger")),
  ]
  async function dump(): Promise<Buffer> {
    const rows = await Promise.all(TABLES.map((table) => sql`select * from ${sql(table)}`))
    const cells = rows.flat().flatMap((row) => Object.values(row as Record<string, unknown>))
    return Buffer.concat(
      cells.map((cell) => (Buffer.isBuffer(cell) ? cell : Buffer.from(`${String(cell)}\n`))),
    )
  }
  t.ok(
    places.some(([, bytes]) => bytes.includes(address)),
    "the search finds what is there",
  )
  for (const [place, bytes] of places) {
    t.ok(bytes.length > 0, `${place} is not empty`)
    const found = canaries.filter(([, canary]) => spellings(canary).some((form) => bytes.includes(form)))
    t.same(
      found.map(([name]) => name),
      [],
      `no secret in ${place}`,
    )
  }
  const modes = ["signer.log", "api.log"].map((name) => statSync(join(system.directory, name)).mode & 0o077)
  t.same(modes, [0, 0])
})

const seedOf = ({ directory }: System) => Secret.copyOf(readFileSync(join(directory, "signer", "root-seed")))

/** Raw, hexadecimal, base64; the first 16 bytes suffice to be a leak. */
function spellings(secret: Buffer): Buffer[] {
  const head = secret.subarray(0, 16)
  const hex = head.toString("hex")
  const base64 = secret.subarray(0, 15).toString("base64")
  const text = [
    hex,
    hex.toUpperCase(),
    base64,
    secret.subarray(0, 15).toString("base64url"),
    [...head].join(),
  ]
  return [head, ...text.map((form) => Buffer.from(form))]
}

/** SQLite's index of its log is no text; a young log has no full tile of leaves, and none that was given up. */
const MAY_BE_EMPTY = /-shm$|^chunks$|^era$/

function files(directory: string): [string, Buffer][] {
  return readdirSync(directory, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && !MAY_BE_EMPTY.test(entry.name))
    .map(({ parentPath, name }) => [`the ledger's ${name}`, readFileSync(join(parentPath, name))])
}
