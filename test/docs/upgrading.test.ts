// The way from plain seeds to sealed ones, by the commands of docs/UPGRADING.md as they stand there.
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import t from "tap"
import { SeedOwner } from "../../proto/gen/countersign/state/v1/sealed_seed_pb.ts"
import { witnessesDigest } from "../../signer/core/sealed-seed/witnesses.ts"
import { readConfig, type SignerConfig } from "../../signer/enclave/config.ts"
import { createDeployment } from "../../signer/enclave/create-deployment.ts"
import { readConfig as readFetcherConfig } from "../../signer/fetcher/config.ts"
import { createIdentity } from "../../signer/fetcher/identity.ts"
import { ceremony, changeShares } from "../../signer/operator/ceremony/ceremony.ts"
import { sealedAuthorityIn } from "../../signer/operator/ceremony/authority-key.ts"
import { changeWitnesses } from "../../signer/operator/ceremony/change-file.ts"
import { certify } from "../../signer/operator/certify.ts"
import { readCommand } from "../../signer/operator/command-line.ts"
import { readSealedFile } from "../../signer/process/root-seed.ts"
import { newWitnessKey, witnessSettingsOf } from "../harness/witness-keys.ts"
import { Holders } from "../signer/operator/ceremony/holders.ts"

const TEXT = readFileSync(join(import.meta.dirname, "..", "..", "docs", "UPGRADING.md"), "utf8")

/** The command lines of the section. */
function commandsIn(section: string): string[] {
  const [, rest = ""] = TEXT.split(`## ${section}\n`)
  const [, block = ""] = /```text\n([^`]+)```/.exec(rest) ?? []
  return block.trim().split("\n")
}

t.test("a deployment with plain seeds goes over to sealed ones by the documented commands", async (t) => {
  const directory = mkdtempSync(join(tmpdir(), "cs-upgrading-"))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  const environment = { COUNTERSIGN_DATA_DIR: directory, ...witnessSettingsOf([newWitnessKey("one")]) }
  const config = readConfig(environment)
  createDeployment(config)
  const { seedFile: fetcherSeed } = readFetcherConfig(environment)
  createIdentity(readFetcherConfig(environment))
  await certify({ address: "signer.internal:7443", isRenewal: false }, config)
  let sheets = new Holders()
  for (const line of commandsIn("To sealed seeds")) {
    const [program, ...words] = line.split(" ")
    t.equal(program, "countersign-signer")
    const former = sheets
    const present = new Map<string, number>()
    const holders = new Holders((question) => {
      if (/^Passphrase|^The same/.test(question))
        return question.includes("fetcher") || isFetchers
          ? "the passphrase of the fetcher"
          : "the passphrase of the signer"
      const [asked, owner = "signer"] =
        /^Present share .*needed(?: for the ([a-z ]+))?:$/.exec(question) ?? []
      if (asked === undefined) return undefined
      present.set(owner, (present.get(owner) ?? 0) + 1)
      return former.line(present.get(owner) ?? 0, owner)
    })
    let isFetchers = false
    const ask = holders.ask.bind(holders)
    holders.ask = (question) => {
      if (question.startsWith("Passphrase")) isFetchers = question.includes("fetcher")
      return ask(question)
    }
    await run(
      words.map((word) => (word === "fetcher-seed" ? fetcherSeed : word)),
      config,
      holders,
    )
    if (holders.sheets.size > 0) sheets = holders
  }
  const header = readSealedFile(config.seedFile)?.header
  t.match(header, { generation: 2, threshold: 2 })
  t.ok((header?.revision ?? 0n) > 0n)
  t.strictSame(Buffer.from(header?.witnessesDigest ?? []), Buffer.from(witnessesDigest(config.witnesses)))
  t.match(readSealedFile(fetcherSeed)?.header, { owner: SeedOwner.FETCHER, threshold: 2 })
  t.match(sealedAuthorityIn(config.authorityDirectory)?.header, { owner: SeedOwner.AUTHORITY })
})

function run(words: readonly string[], config: SignerConfig, holders: Holders): Promise<unknown> {
  const command = readCommand(words)
  switch (command.name) {
    case "ceremony":
      return ceremony(command, config, holders)
    case "change-shares":
      return changeShares(command, config, holders)
    case "change-witnesses":
      return changeWitnesses(command, config, holders)
    default:
      throw new Error(`${command.name} is no command of the section`)
  }
}
