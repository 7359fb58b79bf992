// Makes test/golden/backup-<number>.backup and .json: run by hand when a release brings a new format, never for an old one.
//
//     node test/golden/make-backup.ts test/golden/backup-1
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fetcherCommand, holderFiles, nodeCommand, signerCommand } from "../harness/backups.ts"
import type { Ended } from "../harness/commands.ts"
import { freshDatabase } from "../harness/database.ts"
import { newKey } from "../harness/stamper.ts"
import { System } from "../harness/system.ts"
import { ownVersion } from "../../signer/process/own-version.ts"
import { countActivities, createWallet, type GoldenBackup, sign, writeProxyKey } from "./backup.ts"

const [name = ""] = process.argv.slice(2)
const cleanUps: (() => Promise<void>)[] = []
const { url } = await freshDatabase({ teardown: (clean) => cleanUps.push(clean) })
const system = await System.start(url)
const { directory } = system
const folder = mkdtempSync(join(tmpdir(), "golden-backup-"))
const { holders } = holderFiles(folder)
const done = async (ended: Promise<Ended>): Promise<string> => {
  const { status, out, log } = await ended
  if (status !== 0) throw new Error(log)
  return out
}

const acme = await system.createOrganization()
const address = await createWallet(system, acme)
const signature = await sign(system, acme, address)
await done(fetcherCommand(directory, "init"))
const proxyKey = newKey().privateKey.export({ format: "pem", type: "pkcs8" }).toString()
writeProxyKey(directory, proxyKey)
const create = (file: string) => ["create", "--to", holders, "--json", "--out", file]
const parts = ["database", "fetcher", "proxy"].map((part) => join(folder, part))
const [database = "", fetcher = "", proxy = ""] = parts
const began = await done(nodeCommand(directory, url, "backup", "database", ...create(database)))
const id = ["--id", (JSON.parse(began) as { backupId: string }).backupId]
await done(fetcherCommand(directory, "backup", ...create(fetcher), ...id))
await done(nodeCommand(directory, url, "backup", "proxy", ...create(proxy), ...id))
const made = await done(signerCommand(directory, "backup", ...create(`${name}.backup`), ...parts))
const golden: GoldenBackup = {
  release: ownVersion(),
  madeAtMs: Date.parse((JSON.parse(made) as { madeAt: string }).madeAt),
  organizationId: acme.organizationId,
  key: acme.root.privateKey.export({ format: "pem", type: "pkcs8" }).toString(),
  address,
  signature,
  activities: await countActivities(system, acme),
  fetcher: await done(fetcherCommand(directory, "public-key")),
  proxyKey,
}
writeFileSync(`${name}.json`, `${JSON.stringify(golden, undefined, 2)}\n`)
await system.stop()
for (const clean of cleanUps) await clean()
process.exit()
