// A fetcher whose seed is sealed: one ceremony with the signer's, one line on each sheet.
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { credentials } from "@grpc/grpc-js"
import t, { type Test } from "tap"
import { clientFor } from "../../../proto/grpc-client.ts"
import { FetcherService } from "../../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import { HealthCheckResponse_ServingStatus, Health } from "../../../proto/gen/grpc/health/v1/health_pb.ts"
import { SeedOwner } from "../../../proto/gen/countersign/state/v1/sealed_seed_pb.ts"
import { readShare } from "../../../signer/core/sealed-seed/share.ts"
import { readShareWords } from "../../../signer/core/sealed-seed/share-words.ts"
import { readConfig as readSignerConfig } from "../../../signer/enclave/config.ts"
import { createDeployment } from "../../../signer/enclave/create-deployment.ts"
import { readConfig, readServingConfig } from "../../../signer/fetcher/config.ts"
import { createIdentity, identityOf, readSeed } from "../../../signer/fetcher/identity.ts"
import { ceremony, changeShares } from "../../../signer/operator/ceremony/ceremony.ts"
import { readRootSeed, readStoredSeed } from "../../../signer/process/root-seed.ts"
import { faultsOf } from "../../../signer/core/settings/settings.ts"
import { runCommandLine } from "../../harness/commands.ts"
import { FAULTY_COMMANDS, REVERSE } from "../../harness/daily-commands.ts"
import { Program } from "../../harness/program.ts"
import { subsets } from "../core/sealed-seed/sets.ts"
import { writeNoteKey } from "../../../signer/core/log/note-key.ts"
import { newLogKey } from "../../harness/witness-keys.ts"
import { openByShares } from "../../../signer/core/sealed-seed/open.ts"
import { CEREMONY, Holders } from "../operator/ceremony/holders.ts"

const PASSPHRASES = ["the passphrase of the signer", "the passphrase of the fetcher"]
const FETCHER = "signer/fetcher/main.ts"

/** A sheet of two processes: the words of each, forty after forty. */
const lineOf = (sheet: string, index: number) =>
  sheet
    .split(" ")
    .slice(index * 40, (index + 1) * 40)
    .join(" ")

type Options = { hasPlainSeed?: boolean }

/** Seals the seeds of a deployment in one ceremony of 2 of 3. Without a plain seed there is no passphrase either. */
async function seal({ hasPlainSeed = true }: Options) {
  const directory = mkdtempSync(join(tmpdir(), "cs-sealed-"))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  const environment = { COUNTERSIGN_DATA_DIR: directory }
  const config = readConfig(environment)
  createDeployment(readSignerConfig(environment))
  if (hasPlainSeed) createIdentity(config)
  const publicHex = hasPlainSeed ? publicHexOf(config) : ""
  const typed = [
    PASSPHRASES[0],
    PASSPHRASES[0],
    PASSPHRASES[0],
    PASSPHRASES[0],
    PASSPHRASES[1],
    PASSPHRASES[1],
  ]
  const holders = new Holders((question) =>
    /^Passphrase|^The same/.test(question) ? typed.shift() : undefined,
  )
  const terms = { ...CEREMONY, shares: 3, threshold: 2, usesPassphrase: hasPlainSeed }
  const result = await ceremony(
    { ...terms, fetcherSeed: config.seedFile },
    readSignerConfig(environment),
    holders,
  )
  const sheets = [1, 2, 3].map((number) => holders.sheets.get(number) ?? "")
  return { directory, holders, sheets, terms, result, publicHex }
}

/** Deployments that were sealed once, by their options. Tests get copies. */
const made = new Map<string, ReturnType<typeof seal>>()

async function setup(t: Test, options: Options = {}) {
  const name = JSON.stringify(options)
  const once = made.get(name) ?? seal(options)
  made.set(name, once)
  const { directory: from, terms, ...sealed } = await once
  const directory = mkdtempSync(join(tmpdir(), "cs-sealed-"))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  cpSync(from, directory, { recursive: true })
  const environment = { COUNTERSIGN_DATA_DIR: directory }
  const config = readConfig(environment)
  return { ...sealed, directory, environment, config, command: { ...terms, fetcherSeed: config.seedFile } }
}

const publicHexOf = (config: ReturnType<typeof readConfig>) => {
  const seed = readRootSeed(config.seedFile)
  return identityOf(seed).publicHex
}

/** Commands of the fetcher's program. */
const commandsOf =
  (environment: NodeJS.Dict<string>) =>
  (words: readonly string[], input = "") => {
    const env = { PATH: process.env["PATH"], ...environment }
    return runCommandLine({ program: FETCHER, words, environment: env, input })
  }

/** A running fetcher, and commands of its program. */
async function started(t: Test, environment: NodeJS.Dict<string>) {
  const run = commandsOf(environment)
  const fetcher = new Program({ file: FETCHER, words: ["serve"], environment })
  t.teardown(() => fetcher.stop())
  const options = {
    address: `unix:${join(environment["COUNTERSIGN_DATA_DIR"] ?? "", "fetcher", "fetcher.sock")}`,
    credentials: credentials.createInsecure(),
    deadlineMs: 30_000,
  }
  const [calls, health] = [clientFor(FetcherService, options), clientFor(Health, options)]
  t.teardown(() => {
    calls.close()
    health.close()
  })
  const isServing = async () =>
    (await health.call.check({})).status === HealthCheckResponse_ServingStatus.SERVING
  const addCheckpoint = () => calls.call.addCheckpoint({})
  return { fetcher, run, fetch: () => calls.call.fetch({}), addCheckpoint, isServing }
}

t.test(
  "W119: one ceremony seals signer and fetcher, with one sheet a holder and sets of their own",
  async (t) => {
    const { config, holders, sheets, result, publicHex } = await setup(t)
    t.match(result.json, { processes: ["signer", "fetcher"], generation: 1 })
    t.match(result.lines[1], /sealed too: .*fetcher\/seed, of the fetcher/)
    t.match(holders.shown.join("\n"), /Another process has this passphrase/)
    const labels = sheets.map((sheet) =>
      [0, 1].map((line) => readShareWords(lineOf(sheet, line)).use(readShare).label),
    )
    for (const [signer, fetcher] of labels) {
      t.match([signer, fetcher], [{ owner: SeedOwner.SIGNER }, { owner: SeedOwner.FETCHER }])
      t.notSame(signer?.setId, fetcher?.setId)
      t.equal(signer?.number, fetcher?.number)
    }
    const stored = readSeed(config)
    if (stored.kind !== "sealed") throw new Error("plain")
    const pointsOf = (some: readonly string[]) =>
      some.map((sheet) => readShareWords(lineOf(sheet, 1)).use(readShare).point)
    for (const two of subsets(sheets, 2))
      t.equal(
        identityOf(await openByShares(stored.sealed, pointsOf(two))).publicHex,
        publicHex,
        "its keys stay",
      )
    t.notOk(stored.sealed.header.holderPublicKeys.length, "holders are the signer's")
  },
)

t.test("W119: a sealed fetcher states nothing until its shares are given, and lock ends it", async (t) => {
  const { environment: plain, sheets, publicHex, config } = await setup(t)
  const environment = { ...plain, COUNTERSIGN_FETCHER_WITNESS_NAME: "fetcher.example/1" }
  writeFileSync(
    join(dirname(config.seedFile), "witness-logs"),
    `${writeNoteKey(newLogKey("example.com/log").key)}\n`,
  )
  t.match(await commandsOf(environment)(["witness-key", "--init"]), { status: 0, log: /the seed is sealed/ })
  const { fetcher, run, fetch, addCheckpoint, isServing } = await started(t, environment)
  await fetcher.until(/the seed is sealed/)
  t.match(await run(["status"]), { status: 3, out: /^SEALED: .*generation 1, 2 of 3 shares open it/ })
  await t.rejects(fetch(), { message: /the fetcher's seed is sealed/ })
  await t.rejects(addCheckpoint(), { message: /the fetcher's seed is sealed/ })
  t.match(await run(["witness-key"]), { status: 0, out: "", log: /writes this key once it is unlocked/ })
  t.notOk(await isServing())
  t.match(await run(["public-key"]), { status: 1, log: /the seed is sealed, and .*public-key is missing/ })
  t.match(await run(["unlock"], `${lineOf(sheets[0]!, 0)}\n\n`), {
    status: 3,
    log: /this is share 1 of the signer.*take the line of that process on the same sheet/,
  })
  t.match(await run(["unlock", "--passphrase"], `${PASSPHRASES[0]}\n`), {
    status: 3,
    log: /passphrase does not open/,
  })
  t.match(await run(["unlock"], `${lineOf(sheets[0]!, 1)}\n`), {
    status: 3,
    out: /1 of 2 shares are there \(1\)/,
  })
  t.match(await run(["status"]), { status: 3, out: /given so far: 1/ })
  t.match(await run(["unlock", "--json"], `${lineOf(sheets[2]!, 1)}\n`), {
    status: 0,
    out: /"unlocked":true/,
  })
  t.match(await run(["status"]), { status: 0, out: /^UNLOCKED/ })
  await t.rejects(fetch(), { message: /paired with no signer/ }, "it answers orders")
  t.match(await run(["witness-key"]), { status: 0, out: /^fetcher\.example\/1\+/ })
  t.match(await addCheckpoint(), { status: 400 }, "and is a witness")
  t.match(await run(["unlock"], `${lineOf(sheets[1]!, 1)}\n`), { status: 3, log: /unlocked already/ })
  t.match(await run(["public-key"]), { status: 0, out: `${publicHex}\n` })
  t.match(await run(["lock"]), { status: 0, out: /the fetcher ends, and its next start is sealed/ })
  for (let tries = 0; tries < 500 && !fetcher.hasEnded; tries += 1)
    await new Promise((done) => setTimeout(done, 20))
  t.ok(fetcher.hasEnded)
  t.notOk(fetcher.output.includes(PASSPHRASES[1]!))
  const next = await started(t, environment)
  await next.fetcher.until(/the seed is sealed/)
  t.match(await next.run(["unlock", "--passphrase"], `${PASSPHRASES[1]}\n`), { status: 0, out: "unlocked\n" })
  t.equal(readFileSync(config.publicKeyFile, "utf8").trim(), publicHex)
})

t.test("a change of a fetcher's daily ways without a sealed seed changes nothing", async (t) => {
  const directory = mkdtempSync(join(tmpdir(), "cs-plain-"))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  const environment = { COUNTERSIGN_DATA_DIR: directory }
  const { seedFile } = readConfig(environment)
  createIdentity(readConfig(environment))
  const before = readFileSync(seedFile)
  t.match(await commandsOf(environment)(["change-daily", "--passphrase"]), {
    status: 1,
    out: "",
    log: /is not sealed, so nothing was changed: countersign-signer ceremony, or change-shares, seals it/,
  })
  t.strictSame(readFileSync(seedFile), before)
})

t.test("W64: a fetcher has a daily command of its own, which its own host's settings name", async (t) => {
  const { environment: plain, sheets, config } = await setup(t)
  const run = (words: readonly string[], input = "", own: NodeJS.Dict<string> = {}) =>
    commandsOf({ ...plain, ...own })(words, input)
  const commands = {
    COUNTERSIGN_FETCHER_SEAL_COMMAND: REVERSE,
    COUNTERSIGN_FETCHER_UNSEAL_COMMAND: REVERSE,
  }
  const before = readFileSync(config.seedFile)
  const change = ["change-daily", "--command", "--by", "passphrase"]
  t.match(await run(change, `${PASSPHRASES[1]}\n`), {
    status: 2,
    log: /--command needs COUNTERSIGN_FETCHER_SEAL_COMMAND and COUNTERSIGN_FETCHER_UNSEAL_COMMAND/,
  })
  t.match(await run(change, `${PASSPHRASES[0]}\n`, commands), { status: 3, log: /does not open this seed/ })
  t.match(await run(["change-daily"], `${lineOf(sheets[0]!, 1)}\n\n`), {
    status: 3,
    log: /nothing was changed/,
  })
  t.strictSame(readFileSync(config.seedFile), before)
  const [node, option, code] = JSON.parse(REVERSE) as [string, string, string]
  const append = `fs.appendFileSync(${JSON.stringify(config.seedFile)}, "x"); ${code}`
  const replacing = {
    ...commands,
    COUNTERSIGN_FETCHER_SEAL_COMMAND: JSON.stringify([node, option, append]),
  }
  t.match(await run(change, `${PASSPHRASES[1]}\n`, replacing), {
    status: 3,
    log: /another command replaced it/,
  })
  t.strictSame(readFileSync(config.seedFile), Buffer.concat([before, Buffer.from("x")]))
  writeFileSync(config.seedFile, before)
  t.match(await run(["unlock", "--command", "--passphrase"]), { status: 2, log: /takes one way/ })
  t.match(await run(["status", "--command"]), { status: 2, log: /belong to unlock and change-daily/ })

  const { fetcher } = await started(t, plain)
  await fetcher.until(/the seed is sealed/)
  t.match(await run(["unlock", "--command"], "", commands), { status: 3, log: /sealed without a command/ })
  t.match(await run(change, `${PASSPHRASES[1]}\n`, commands), { status: 0, out: /^daily ways: command;/ })
  t.match(await run(["lock"]), { status: 0 })
  for (let tries = 0; tries < 500 && !fetcher.hasEnded; tries += 1)
    await new Promise((done) => setTimeout(done, 20))
  const next = await started(t, plain)
  await next.fetcher.until(/the seed is sealed/)
  const ended = await Promise.all(
    FAULTY_COMMANDS.map(([command]) =>
      run(["unlock", "--command"], "", { COUNTERSIGN_FETCHER_UNSEAL_COMMAND: command }),
    ),
  )
  for (const [index, [command, log, status]] of FAULTY_COMMANDS.entries())
    t.match(ended[index], { status, out: "", log }, command)
  t.match(await run(["unlock", "--passphrase"], `${PASSPHRASES[1]}\n`), {
    status: 3,
    log: /sealed without a passphrase/,
  })
  t.match(await run(["unlock", "--command", "--wait", "5"], "", commands), { status: 0, out: "unlocked\n" })
})

t.test("W119: in production a fetcher does not start with a plain seed, and none is created", async (t) => {
  const directory = mkdtempSync(join(tmpdir(), "cs-sealed-"))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  const environment = { COUNTERSIGN_DATA_DIR: directory, COUNTERSIGN_PRODUCTION: "true" }
  t.throws(() => createIdentity(readConfig(environment)), { message: /ceremony --fetcher-seed FILE/ })
  createIdentity(readConfig({ COUNTERSIGN_DATA_DIR: directory }))
  t.match(
    faultsOf(() => readServingConfig(environment)),
    [/COUNTERSIGN_FETCHER_SEED_FILE: .* is a plain seed/],
  )
  readConfig(environment)
})

t.test("W119: a change of shares takes a plain fetcher in, and gives both new sheets", async (t) => {
  const { environment, sheets, command, config } = await setup(t, { hasPlainSeed: false })
  t.ok(existsSync(config.seedFile), "a new seed was made and sealed")
  const present = [0, 1].flatMap((line) => [sheets[0]!, sheets[2]!].map((sheet) => lineOf(sheet, line)))
  const holders = new Holders((question) => (question.startsWith("Present") ? present.shift() : undefined))
  const change = { ...command, threshold: 3 }
  const { json } = await changeShares(change, readSignerConfig(environment), holders)
  t.match(json, { processes: ["signer", "fetcher"], generation: 2, threshold: 3 })
  t.match(
    holders.questions.filter((question) => question.startsWith("Present")),
    [/are needed:$/, /are needed:$/, /are needed for the fetcher:$/, /are needed for the fetcher:$/],
  )
  t.match(readStoredSeed(config.seedFile), { sealed: { header: { generation: 2, threshold: 3 } } })
  const again = ceremony(command, readSignerConfig(environment), new Holders())
  await t.rejects(again, { message: /sealed already/ })
})
