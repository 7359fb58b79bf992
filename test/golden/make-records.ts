// Makes test/golden/records-<format>.json: run by hand when a release brings a new format, never for an old one.
//
//     node test/golden/make-records.ts > test/golden/records-1.json
import { readRootSeed } from "../../signer/process/root-seed.ts"
import { ApiClient, ethereumAccount, valueOf } from "../harness/api-client.ts"
import { InProcessBoundary } from "../harness/boundary.ts"
import { Importer } from "../harness/bundles.ts"
import { asRoot } from "../hostile/setup.ts"
import type { GoldenRecords } from "./records.ts"

const WORDS = "test test test test test test test test test test test junk"
const RAW = "d123b4bdec43390b7cac14c615bd787671aa5535536f82e9e8e32557e05d8243"

const boundary = new InProcessBoundary()
const client = new ApiClient(boundary)
const fixture = { boundary, client, acme: await client.createOrganization() }
const { submit } = asRoot(fixture)
const importer = new Importer(fixture)
const { organizationId, rootUserId: userId } = fixture.acme
const golden: GoldenRecords = {
  dangerouslyRevealedSeed: readRootSeed(`${boundary.directory}/signer/root-seed`).use(hex),
  organizationId,
  userId,
  wallets: [],
  privateKeys: [],
  importTargets: [],
}

async function wallet(title: string, type: string, parameters: object, words?: string, passphrase = "") {
  const done = await submit(type, parameters)
  const name = type === "CREATE_WALLET" ? "createWalletResult" : "importWalletResult"
  const { walletId, addresses } = valueOf(done, name)
  const [record, account] = done.records.map(hex)
  golden.wallets.push({
    title,
    walletId,
    record: record!,
    account: account!,
    address: addresses[0]!,
    words,
    passphrase,
  })
}

const accounts = [ethereumAccount(0)]
for (const mnemonicLength of [12, 15, 18, 21, 24]) {
  const walletName = `of ${mnemonicLength} words`
  await wallet(walletName, "CREATE_WALLET", { walletName, accounts, mnemonicLength })
}
const plain = await importer.wallet("imported", WORDS, accounts)
await wallet("imported", "IMPORT_WALLET", plain, WORDS)
const passphrase = "r\u00e9sum\u00e9 \u{1F511}"
const secret = await importer.wallet("with a passphrase", `${WORDS}\n${passphrase}`, accounts)
await wallet("with a passphrase", "IMPORT_WALLET", secret, WORDS, passphrase)

for (const curve of ["SECP256K1", "ED25519", "P256"]) {
  const done = await submit("IMPORT_PRIVATE_KEY", await importer.key(curve, RAW, curve, ["COMPRESSED"]))
  const { addresses } = valueOf(done, "importPrivateKeyResult")
  golden.privateKeys.push({ curve, record: hex(done.records[0]!), raw: RAW, address: addresses[0]!.address })
}

for (const kind of ["wallet", "private-key"] as const) {
  const bundle = JSON.parse(await (kind === "wallet" ? importer.walletTarget() : importer.keyTarget()))
  const { targetPublic } = JSON.parse(Buffer.from(bundle.data, "hex").toString())
  const row = boundary.signer.state().ledger.row(organizationId, "import-target", `${kind}/${userId}`)
  golden.importTargets.push({ kind, row: hex(row!), targetPublic })
}

console.log(JSON.stringify(golden, undefined, 2))
await boundary.close()

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex")
}
