// `pair`, `ledger show` and `pins` of the signer's program, against running processes.
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import t, { type Test } from "tap"
import { fromJson } from "@bufbuild/protobuf"
import { PinsSchema } from "../../../proto/gen/countersign/state/v1/setup_pb.ts"
import { wordsOfKey } from "../../../signer/core/crypto/key-words.ts"
import { pinsDigest } from "../../../signer/core/proof/verify/trusted-pins.ts"
import { runCommandLine } from "../../harness/commands.ts"
import { freshDatabase } from "../../harness/database.ts"
import { newIdentity } from "../../harness/fetcher.ts"
import { newKey } from "../../harness/stamper.ts"
import { System } from "../../harness/system.ts"

const SIGNER = "signer/operator/main.ts"
const FETCHER = "signer/fetcher/main.ts"
const AUTH_PROXY = "services/auth-proxy/main.ts"
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const NOBODY = "00000000-0000-4000-8000-000000000000"

function folder(t: Test): string {
  const directory = mkdtempSync(join(tmpdir(), "cs-pair-"))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

async function runWith(
  directory: string,
  settings: NodeJS.Dict<string>,
  program: string,
  ...words: string[]
) {
  const environment = { PATH: process.env["PATH"], COUNTERSIGN_DATA_DIR: directory, ...settings }
  const { status, out, log } = await runCommandLine({ program, words, environment, input: "" })
  return { status, out: out.trimEnd(), log: log.trimEnd() }
}

const runProgram = (directory: string, program: string, ...words: string[]) =>
  runWith(directory, {}, program, ...words)

const outputWith = async (...line: Parameters<typeof runWith>) => `${(await runWith(...line)).out}\n`

t.test("the operator's programs of a running deployment", async (t) => {
  const { url } = await freshDatabase(t)
  const system = await System.start(url)
  t.teardown(() => system.stop())
  const run = (file: string, ...words: string[]) => runProgram(system.directory, file, ...words)
  const pins = JSON.parse((await run(SIGNER, "pins", "--json")).out) as { [name: string]: string }

  await t.test("pins prints the digest that clients compare", async (t) => {
    const digest = pinsDigest(fromJson(PinsSchema, pins))
    t.match(await run(SIGNER, "pins"), { status: 0, out: `digest  ${digest}\ndeploymentId  ` })
    t.match(await run(SIGNER, "pins", "--qr"), { status: 2, log: /countersign pins show --pins - --qr/ })
  })

  await t.test(
    "pair prints settings that pair signer and fetcher, with words that both sides show",
    async (t) => {
      const notarizerWords = wordsOfKey(pins["notarizerPublicKey"] ?? "")
      const before = await run(SIGNER, "pair")
      t.match(before, { status: 0, out: `notarizer   ${notarizerWords}\nfetcher     not paired: ` })
      const made = await run(FETCHER, "init")
      const key = made.out
      const [, words = ""] = /: ([a-z]+(?:-[a-z]+){7})$/.exec(made.log) ?? []
      t.equal(words, wordsOfKey(key))
      t.match(await run(FETCHER, "public-key"), { out: key, log: made.log }, "the words stay")
      const printed = await run(SIGNER, "pair", "--fetcher", key, "--json")
      t.equal(printed.status, 0)
      const { settings, ...shown } = JSON.parse(printed.out) as {
        settings: { signer: NodeJS.Dict<string>; fetcher: NodeJS.Dict<string> }
      }
      t.strictSame(shown, { peer: "fetcher", publicKey: key, words, notarizerWords, state: "unpaired" })
      // The settings are those that pair: both programs accept them and show the other's words.
      const all = { ...settings.signer, ...settings.fetcher }
      t.match(
        await outputWith(system.directory, all, SIGNER, "doctor"),
        `ok      fetcher: paired by these settings: ${words}\n`,
      )
      t.match(await outputWith(system.directory, all, FETCHER, "doctor"), ` of words ${notarizerWords}\n`)
      const lines = (await run(SIGNER, "pair", "--fetcher", key)).out
      for (const [name, value] of Object.entries(all)) t.match(lines, `  ${name}=${value}`)
    },
  )

  await t.test("ledger show prints the ledger's figures and the version of one organization", async (t) => {
    type Figures = {
      identity: string
      sequence: string
      organizationCount: string
      organization?: { version: string; digest: string; ledgerSequence: string }
    }
    const show = async (...words: string[]) =>
      JSON.parse((await run(SIGNER, "ledger", "show", ...words, "--json")).out) as Figures
    const empty = await show()
    t.match(empty, { identity: /^[0-9a-f]{64}$/, organizationCount: "0", sealEpoch: 1 })
    const at = { fence: "1", epoch: "0" }
    const { sequence } = empty
    t.match(empty, {
      deploymentId: UUID,
      lanes: [
        { ...at, lane: 0 },
        { ...at, lane: 1, sequence },
      ],
    })
    t.notOk("organization" in empty)
    const { organizationId, root } = await system.createOrganization()
    await system.createOrganization("Other")
    const first = await show(organizationId)
    t.match(first, { identity: empty.identity, organizationCount: "2" })
    t.ok(BigInt(first.sequence) > BigInt(empty.sequence))
    const body = system.body("CREATE_USER_TAG", organizationId, { userTagName: "signers", userIds: [] })
    await system.submit("create_user_tag", body, root)
    const second = await show(organizationId.toUpperCase())
    t.equal(BigInt(second.organization?.version ?? 0), BigInt(first.organization?.version ?? 0) + 1n)
    t.not(second.organization?.digest, first.organization?.digest)
    t.ok(BigInt(second.organization?.ledgerSequence ?? 0) > BigInt(first.organization?.ledgerSequence ?? 0))
    const { out } = await run(SIGNER, "ledger", "show", organizationId)
    t.match(out, /^deployment +[0-9a-f-]{36}\nidentity/m)
    t.match(out, /^lane 1 +\d+ transactions, fence 1, epoch 0\norganizations/m)
    t.match(out, /^organizations +2\nseal epoch +1\ntime floor +20\d\d-/m)
    t.match(
      out,
      new RegExp(`^organization +${organizationId}\nversion +${second.organization?.version}, `, "m"),
    )
    const faults: [string[], number, RegExp][] = [
      [["show", NOBODY], 3, /00000000-0000-4000-8000-000000000000/],
      [["show", "acme"], 3, /organizationId must be a UUID/],
      [["show", organizationId, "now"], 2, /"now" is not expected after ledger/],
      [["compare"], 2, /ledger takes show/],
      [[], 2, /ledger takes show/],
    ]
    for (const [words, status, log] of faults)
      t.match(await run(SIGNER, "ledger", ...words), { status, out: "", log }, words.join(" "))
  })
})

t.test("pair shows the keys that a signer is paired with, and notices another", async (t) => {
  const { url } = await freshDatabase(t)
  const proxy = await runProgram(folder(t), AUTH_PROXY, "public-key")
  t.match(proxy, { status: 0, log: wordsOfKey(proxy.out) })
  const [key, other] = [newIdentity().publicHex, newIdentity().publicHex]
  const settings = {
    COUNTERSIGN_SIGNER_FETCHER_PUBLIC_KEY: key,
    COUNTERSIGN_SIGNER_AUTH_PROXY_PUBLIC_KEY: proxy.out,
  }
  const system = await System.start(url, {}, settings)
  t.teardown(() => system.stop())
  const run = (...words: string[]) => runProgram(system.directory, SIGNER, ...words)
  t.match(await run("pair"), {
    out: `fetcher     ${wordsOfKey(key)}\nauth-proxy  ${wordsOfKey(proxy.out)}`,
  })
  t.match(JSON.parse((await run("pair", "--fetcher", key, "--json")).out), { state: "paired" })
  t.match(await run("pair", "--auth-proxy", proxy.out), { out: /^state paired$/m })
  t.match(await run("pair", "--fetcher", other), { out: `state paired with another key: ${wordsOfKey(key)}` })
  const faults: [string[], RegExp][] = [
    [["--fetcher", proxy.out], /--fetcher: must be the public form of a key set/],
    [["--auth-proxy", key], /--auth-proxy: must be a compressed public key/],
    [["--auth-proxy", ""], /--auth-proxy: /],
    [["--fetcher", key, "--auth-proxy", proxy.out], /pair takes one key/],
  ]
  for (const [words, log] of faults) t.match(await run("pair", ...words), { status: 2, out: "", log })
})

t.test("without a running signer, pair and ledger show say how to start one", async (t) => {
  const directory = folder(t)
  for (const words of [["pair"], ["pair", "--auth-proxy", newKey().publicKeyHex], ["ledger", "show"]])
    t.match(await runProgram(directory, SIGNER, ...words), {
      status: 5,
      out: "",
      log: /countersign-signer serve/,
    })
})
