// Wallets, private keys and whole organizations move between two deployments, each with its own signer and pins.
import { copyFileSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import t, { type Test } from "tap"
import { sharedFetchingSystem } from "../../../harness/shared-system.ts"
import { startProgram } from "../dev-process.ts"
import { devOrganization, organizationIn } from "./shared-dev.ts"

type Account = { address: string; path: string; name?: string | undefined }

type Source = Awaited<ReturnType<typeof devOrganization>>

/** An organization of the second deployment, of which the first one's command line has a profile. */
async function otherDeployment(t: Test, source: Source) {
  const { system } = await sharedFetchingSystem()
  const { directory, call, json } = await organizationIn(t, { system: system.directory, url: system.url })
  const { digest } = JSON.parse((await call("pins", "show", "--json")).out)
  const key = join(directory, "keys", "root.private")
  const made = await source.call("login", "other", "--api", system.url, "--key", key, "--pins-digest", digest)
  t.match(made, { status: 0 }, made.log)
  t.match(await source.call("profile", "use", "dev"), { status: 0 })
  return { json, call }
}

const shape = (accounts: Account[]) =>
  accounts.map(({ address, path, name }) => ({ address, path, name })).toSorted(byAddress)
const byAddress = (one: Account, other: Account) => (one.address < other.address ? -1 : 1)

t.test("wallets move", async (t) => {
  const source = await devOrganization(t)
  const target = await otherDeployment(t, source)
  const move = (...words: string[]) => source.call("wallet", "move", ...words, "--to", "other")
  const profile = join(source.directory, "profiles", "other")
  const chains = ["solana", "bitcoin:3", "tron:0:cold"].flatMap((account) => ["--account", account])
  const many = Array.from({ length: 55 }, () => ["--account", "ethereum"]).flat()
  t.match(await source.call("wallet", "create", "Many", ...chains, ...many), { status: 0 })
  const before: Account[] = await source.json("account", "list", "--wallet", "Many")
  t.equal(before.length, 58)

  await t.test("a dry run says what would be moved, and exports nothing", async (t) => {
    t.match(await move("Many", "--dry-run"), { status: 0, out: "would be moved  Many: 58 accounts" })
    t.notMatch((await source.json("wallet", "show", "Many")) as object, { exported: true })
    t.match(await target.call("wallet", "list"), { out: /^(?![^]*Many)/ })
  })

  await t.test("pins of another signer stop a move before anything is imported", async (t) => {
    copyFileSync(join(profile, "pins.json"), join(profile, "own.json"))
    writeFileSync(join(profile, "pins.json"), readFileSync(join(source.directory, "pins.json")))
    const moved = await move("Many")
    t.match(moved, { status: 1, out: /^not moved +Many: the bundle is not signed by the signer of the pins/ })
    copyFileSync(join(profile, "own.json"), join(profile, "pins.json"))
    t.match(await target.call("wallet", "list"), { out: /^(?![^]*Many)/ })
  })

  await t.test("a wallet has the same addresses, paths and names there", async (t) => {
    const moved = await move("Many")
    t.match(moved, { status: 0, out: /^moved +Many: 58 accounts, [0-9a-f-]{36}$/ }, moved.log)
    t.strictSame(shape(await target.json("account", "list", "--wallet", "Many")), shape(before))
    const { address } = before.find(({ path }) => path.startsWith("m/44'/60'"))!
    t.match(await target.call("sign", "message", "hello", "--with", address), { status: 0 }, "it signs")
    t.match(await source.call("sign", "message", "hello", "--with", address), { status: 0 }, "there and here")
  })

  await t.test("a repeated move exports nothing, and adds what is missing", async (t) => {
    t.match(await move("Many"), { status: 0, out: /^moved before +Many: 58 accounts/ })
    t.match(await target.call("account", "delete", "cold", "--delete-without-export"), { status: 0 })
    t.equal((await target.json("account", "list", "--wallet", "Many")).length, 57)
    t.match(await move("Many"), { status: 0, out: /^moved +Many: 58 accounts/ })
    t.strictSame(shape(await target.json("account", "list", "--wallet", "Many")), shape(before))
  })

  await t.test("a wallet that cannot be moved keeps no other", async (t) => {
    t.match(await source.call("wallet", "create", "Second", "--account", "ethereum"), { status: 0 })
    t.match(await source.call("wallet", "create", "Third", "--account", "ethereum"), { status: 0 })
    t.match(await target.call("wallet", "create", "Third"), { status: 0 })
    const { status, out, log } = await move("--all", "--json")
    t.equal(status, 1)
    const { wallets } = JSON.parse(out) as {
      wallets: { walletName: string; outcome: string; reason?: string }[]
    }
    const outcomes = new Map(wallets.map((wallet) => [wallet.walletName, wallet]))
    t.match(outcomes.get("First"), {
      outcome: "not moved",
      reason: "the other deployment has another wallet First: rename one of them",
    })
    t.match(outcomes.get("Third"), {
      outcome: "not moved",
      reason: /no account shows that its keys are the same/,
    })
    t.match(outcomes.get("Second"), { outcome: "moved" })
    t.match(outcomes.get("Many"), { outcome: "moved before" })
    t.match(log, /not moved yet: 2 of 4 wallets/)
  })

  await t.test("faulty command lines are refused", async (t) => {
    t.match(await move(), { status: 2, log: /name the wallets to move, or give --all/ })
    t.match(await move("First", "--all"), { status: 2 })
    t.match(await source.call("wallet", "move", "First", "--to", "dev"), { status: 2, log: /another one/ })
    t.match(await source.call("wallet", "move", "First", "--to", "nobody"), { status: 2, log: /no profile/ })
    t.match(await move("Absent"), { status: 2, log: /there is no wallet “Absent”/ })
    for (const pins of [join(profile, "pins.json"), join(source.directory, "pins.json")]) {
      renameSync(pins, `${pins}.away`)
      const refused = await move("First")
      renameSync(`${pins}.away`, pins)
      t.match(refused, { status: 2, out: "", log: /pins\.json cannot be read .*--pins FILE/ }, pins)
    }
  })
})

/** The report of a move. */
type Report = {
  wallets: { walletName: string; outcome: string }[]
  privateKeys: { privateKeyName: string; outcome: string; addresses: number; reason?: string }[]
  configuration: { outcome: string; completed: unknown[]; reason?: string }
  notCarried: { what: string; why: string }[]
  leftToDo: string[]
}

const KEYS = [
  ["oracle", "secp256k1", "ethereum", "bitcoin-mainnet-p2wpkh"],
  ["feed", "ed25519", "solana"],
  ["bare", "p256"],
] as const

/** An organization with wallets, private keys, and a configuration that names them. */
async function configuredOrganization(t: Test) {
  const source = await devOrganization(t)
  const done = async (...words: string[]) => {
    const ended = await source.call(...words)
    t.match(ended, { status: 0 }, ended.log)
  }
  await done("wallet", "update", "First", "--name", "Treasury")
  await done("wallet", "create", "Savings", "--account", "ethereum", "--account", "solana")
  for (const [name, curve, ...formats] of KEYS)
    await done(
      "private-key",
      "create",
      name,
      "--curve",
      curve,
      ...formats.flatMap((format) => ["--address-format", format]),
    )
  await done("suborg", "create", "Customer", "--root-user", "root")
  const file = join(source.directory, "organization.yaml")
  const allowing = (policyName: string, condition: string) => ({
    policyName,
    effect: "EFFECT_ALLOW",
    condition,
  })
  writeFileSync(
    file,
    JSON.stringify({
      version: 1,
      organizationName: "Moving house",
      userTags: ["traders"],
      users: [{ userName: "carol", userEmail: "carol@example.com", userTags: ["traders"] }],
      privateKeyTags: [{ privateKeyTagName: "oracles", privateKeys: ["oracle", "feed"] }],
      policies: [
        allowing("traders sign", "wallet.id == '@wallet:Treasury'"),
        allowing("oracles sign", "private_key.tags.contains('@private-key-tag:oracles')"),
      ],
      webhookEndpoints: [{ name: "events", url: "https://hooks.example.com/moved" }],
      oauth2Credentials: [{ provider: "OAUTH2_PROVIDER_X", clientId: "app" }],
    }),
  )
  const secret = join(source.directory, "secret.txt")
  writeFileSync(secret, "moving-NotARealSecret")
  await done("config", "apply", file, "--yes", "--client-secret", `x:app=${secret}`)
  return { ...source, secret }
}

t.test("C-1870: an organization moves with its wallets, private keys and configuration", async (t) => {
  const source = await configuredOrganization(t)
  const target = await otherDeployment(t, source)
  const move = (...words: string[]) => source.call("config", "move", "--to", "other", ...words)
  const report = async (...words: string[]) => {
    const { status, out, log } = await move("--json", ...words)
    t.not(out, "", log)
    return { status, log, ...(JSON.parse(out) as Report) }
  }
  const keysThere = async () =>
    ((await target.json("private-key", "list")) as { privateKeyName: string }[]).map(
      (key) => key.privateKeyName,
    )

  await t.test("without an answer nothing is sent, and a dry run shows the plan", async (t) => {
    t.match(await move(), { status: 2, log: /no terminal to ask at: add --yes/ })
    const { status, out } = await move("--dry-run")
    t.equal(status, 0)
    t.match(out, /wallet {2}would be moved {2}Treasury: \d+ accounts?/)
    t.match(out, /private key {2}would be moved {2}oracle: 2 addresses/)
    t.match(out, /create +policy oracles sign/)
    t.match(
      out,
      /OAuth 2.0 credential x:app: no service gives its secret out: add --client-secret x:app=FILE/,
    )
    t.strictSame(
      (await keysThere()).filter((name) => KEYS.some(([one]) => one === name)),
      [],
    )
  })

  await t.test("W165: with pins of another signer on either side, no secret is imported", async (t) => {
    const own = join(source.directory, "profiles", "other", "pins.json")
    const { notCarried, status } = await report("--yes", "--pins", own)
    t.equal(status, 1)
    const why = /the bundle is not signed by the signer of the pins/
    t.match(
      notCarried.slice(0, 5),
      Array.from({ length: 5 }, () => ({ why })),
    )
    const pins = readFileSync(own)
    writeFileSync(own, readFileSync(join(source.directory, "pins.json")))
    t.match(
      (await report("--yes")).notCarried.slice(0, 5),
      Array.from({ length: 5 }, () => ({ why })),
    )
    writeFileSync(own, pins)
    t.strictSame(
      (await keysThere()).filter((name) => KEYS.some(([one]) => one === name)),
      [],
    )
    t.match(
      await source.json("private-key", "show", "oracle"),
      { exported: true },
      "the first signer sealed it",
    )
  })

  await t.test("interrupted in the middle, it says that the same command continues", async (t) => {
    const words = ["config", "move", "--to", "other", "--yes"]
    const moving = startProgram(t, source.directory, "services/cli/main.ts", ...words)
    await moving.until(({ out }) => /^private key {2}moved/m.test(out))
    t.equal(await moving.interrupt(), 130)
    const { log } = await moving.until(() => true)
    t.match(log, /stopped: what was moved stays there. The same command continues/)
    t.notMatch(await target.call("policy", "list"), { out: /oracles sign/ }, "the configuration comes last")
  })

  await t.test("the same command moves the rest, and reports all of it", async (t) => {
    const found = await report("--yes", "--client-secret", `x:app=${source.secret}`)
    t.equal(found.status, 0, found.log)
    t.match(found.wallets.map(({ walletName, outcome }) => `${walletName} ${outcome}`).toSorted(), [
      /^Savings moved/,
      /^Treasury moved/,
    ])
    t.equal(found.wallets.find(({ walletName }) => walletName === "Treasury")?.outcome, "moved before")
    t.strictSame(found.privateKeys.map(({ privateKeyName }) => privateKeyName).toSorted(), [
      "bare",
      "feed",
      "oracle",
    ])
    t.match(found.configuration, { outcome: "moved" })
    const behind = found.notCarried.map(({ what }) => what)
    t.match(behind, [/^sub-organization [0-9a-f-]{36}$/, /^activities, sessions and proofs$/])
    t.match(found.leftToDo.join("\n"), /hooks.example.com\/moved verifies with the keys of this deployment/)
  })

  await t.test("addresses, tags and policies are the same there, and the key signs", async (t) => {
    for (const [name] of KEYS) {
      const members = ({ publicKey, curve, addresses }: { [member: string]: unknown }) => ({
        publicKey,
        curve,
        addresses,
      })
      const [here, there] = await Promise.all(
        [source, target].map(async (one) => members(await one.json("private-key", "show", name))),
      )
      t.strictSame(there, here, name)
    }
    const { condition } = await target.json("policy", "show", "traders sign")
    const { walletId } = await target.json("wallet", "show", "Treasury")
    t.equal(condition, `wallet.id == '${walletId}'`)
    const { tagId } = await target.json("private-key-tag", "show", "oracles")
    t.match(await target.json("private-key", "show", "oracle"), { privateKeyTags: [tagId] })
    t.match(await target.call("sign", "message", "hello", "--with", "oracle"), { status: 0 })
  })

  await t.test("a third run moves nothing", async (t) => {
    const found = await report("--yes")
    t.equal(found.status, 0, found.log)
    t.match(found.configuration, { outcome: "moved before", completed: [] })
    const outcomes = [...found.wallets, ...found.privateKeys].map(({ outcome }) => outcome)
    t.strictSame(
      outcomes,
      Array.from({ length: 5 }, () => "moved before"),
    )
    const imports = (await target.json("activity", "list", "--type", "IMPORT_PRIVATE_KEY")) as unknown[]
    t.equal(imports.length, KEYS.length, "each key was imported once")
  })

  await t.test("a private key that cannot be moved keeps the configuration back, and is named", async (t) => {
    t.match(await source.call("private-key", "create", "twice", "--curve", "p256"), { status: 0 })
    t.match(await target.call("private-key", "create", "twice", "--curve", "p256"), { status: 0 })
    const found = await report("--yes")
    t.equal(found.status, 1)
    t.match(found.log, /not moved yet: 1 wallet or private key: the same command continues/)
    t.match(found.notCarried[0], { what: "private key twice", why: /has another private key twice/ })
    t.match(found.configuration, { outcome: "not moved", reason: /policies may name twice/ })
    t.match(await source.call("private-key", "move", "bare", "--to", "other"), {
      status: 0,
      out: /^moved before +bare: 0 addresses/,
    })
  })

  await t.test("C-1871: where both organizations ask for votes, each vote is given once", async (t) => {
    const approve = async ({ call }: Pick<Source, "call">, log: string) => {
      const [, fingerprint = ""] = /approval: sha256:([0-9a-f]{8})/.exec(log) ?? []
      const ended = await call("approve", fingerprint, "--as", "alice", "--yes")
      t.match(ended, { status: 0 }, ended.log)
    }
    const moveLate = () => source.call("private-key", "move", "late", "--to", "other")
    t.match(await source.call("private-key", "create", "late", "--curve", "p256"), { status: 0 })
    const two = ["org", "quorum", "--threshold", "2", "--user", "root", "--user", "alice"]
    for (const { call } of [source, target]) t.match(await call(...two), { status: 0 })
    const asked: string[] = []
    for (;;) {
      const { status, out, log } = await moveLate()
      if (status === 0) break
      t.match({ status, out }, { status: 4, out: /^waits +late: waiting for approval/ }, log)
      t.equal((await moveLate()).out, out, "repeated before the vote, it waits for the same one")
      const isThere = out.endsWith("it waits at the other deployment: add --profile other")
      asked.push(isThere ? "target" : "source")
      await approve(isThere ? target : source, out)
      if (asked.length > 6) break
    }
    t.strictSame(asked, ["target", "source", "target", "target"])
    t.ok((await keysThere()).includes("late"))
  })
})
