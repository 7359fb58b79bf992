// An auth proxy whose key is sealed waits for its shares before it listens.
import { generateKeyPairSync } from "node:crypto"
import { once } from "node:events"
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import t, { type Test } from "tap"
import { openOwnKey } from "../../../services/auth-proxy/own-key.ts"
import { unlockSocketOf } from "../../../services/auth-proxy/sealed-key.ts"
import { runKeyCommand } from "../../../services/auth-proxy/unlock-key.ts"
import { readConfig } from "../../../signer/enclave/config.ts"
import { ceremony } from "../../../signer/operator/ceremony/ceremony.ts"
import { runCommandLine } from "../../harness/commands.ts"
import { freePort } from "../../harness/free-port.ts"
import { FAULTY_COMMANDS, REVERSE } from "../../harness/daily-commands.ts"
import { Program } from "../../harness/program.ts"
import { CEREMONY, Holders } from "../../signer/operator/ceremony/holders.ts"

const MAIN = "services/auth-proxy/main.ts"
const PASSPHRASES = ["the passphrase of the signer", "the passphrase of the proxy"]

const lineOf = (sheet: string, index: number) =>
  sheet
    .split(" ")
    .slice(index * 40, (index + 1) * 40)
    .join(" ")

/** A key that is sealed in one ceremony with a new signer's seed, 2 of 2. Tests use copies of its directory. */
async function seal() {
  const directory = mkdtempSync(join(tmpdir(), "cs-proxy-"))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  const keyFile = join(directory, "auth-proxy", "key")
  mkdirSync(join(directory, "auth-proxy"), { mode: 0o700 })
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  writeFileSync(keyFile, privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 })
  const plain = openOwnKey(keyFile)
  if (!("privateKey" in plain)) throw new Error("sealed already")
  const typed = PASSPHRASES.flatMap((one) => [one, one])
  const holders = new Holders((question, { sheets }) => {
    if (/^Passphrase|^The same/.test(question)) return typed.shift()
    const [, number, process] = /words of share (\d+) of the (\w+)/.exec(question) ?? []
    if (number === undefined) return undefined
    return lineOf(sheets.get(Number(number)) ?? "", process === "signer" ? 0 : 1)
  })
  const command = { ...CEREMONY, shares: 2, threshold: 2, usesPassphrase: true, authProxyKey: keyFile }
  const { json } = await ceremony(command, readConfig({ COUNTERSIGN_DATA_DIR: directory }), holders)
  t.match(json, { processes: ["signer", "auth proxy"] })
  const sheets = [1, 2].map((number) => holders.sheets.get(number) ?? "")
  return { directory, publicKey: plain.publicKey, sheets }
}

const sealed = await seal()

async function setup(t: Test) {
  const { publicKey, sheets } = sealed
  const directory = mkdtempSync(join(tmpdir(), "cs-proxy-"))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  cpSync(sealed.directory, directory, { recursive: true })
  const keyFile = join(directory, "auth-proxy", "key")
  const port = await freePort()
  const environment = {
    COUNTERSIGN_DATA_DIR: directory,
    COUNTERSIGN_AUTH_PROXY_LISTEN: `127.0.0.1:${port}`,
    COUNTERSIGN_AUTH_PROXY_STOP_GRACE_SECONDS: "0",
  }
  const run = (words: readonly string[], input = "", own: NodeJS.Dict<string> = {}) =>
    runCommandLine({
      program: MAIN,
      words,
      environment: { PATH: process.env["PATH"], ...environment, ...own },
      input,
    })
  const start = () => {
    const proxy = new Program({ file: MAIN, environment })
    t.teardown(() => proxy.stop())
    return proxy
  }
  return { keyFile, publicKey, run, start, sheets, url: `http://127.0.0.1:${port}` }
}

t.test(
  "W119: a sealed auth proxy serves nothing until its shares are given, and starts sealed again",
  async (t) => {
    const { publicKey, run, start, sheets, url, keyFile } = await setup(t)
    t.match(await run(["status"]), { status: 5, out: "", log: /^auth-proxy: no auth proxy waits on/ })
    const asJson = await run(["status", "--json"])
    t.match(JSON.parse(asJson.log), { error: { exitStatus: 5, message: /^no auth proxy waits on/ } })
    t.match(await run(["public-key"]), { status: 1, out: "", log: /^auth-proxy: .*key\.public is missing/ })
    t.notMatch(readFileSync(keyFile, "latin1"), /PRIVATE KEY/)
    const proxy = start()
    await proxy.until(/the key is sealed/)
    await t.rejects(fetch(`${url}/livez`), "it listens nowhere")
    t.match(await run(["unlock"], `${lineOf(sheets[0]!, 0)}\n\n`), {
      status: 3,
      log: /this is share 1 of the signer/,
    })
    t.match(await run(["unlock"], "zoo\n\n\n"), { status: 3, log: /a share has 40 words, not 1/ })
    t.match(await run(["unlock", "--passphrase"], `${PASSPHRASES[0]}\n`), {
      status: 3,
      log: /does not open this seed/,
    })
    t.match(await run(["unlock"], `${lineOf(sheets[1]!, 1)}\n`), {
      status: 3,
      log: /^Deployment [0-9a-f-]{36}, generation 1: 2 shares open the key\.$/m,
      out: /1 of 2 shares are there \(2\)/,
    })
    t.match(await run(["status"]), { status: 3, out: /1 of 2 shares are there \(2\)/ })
    const { out, status } = await run(["status", "--json"])
    t.strictSame([status, JSON.parse(out)], [3, { unlocked: false, given: [2], threshold: 2 }])
    t.match(await run(["unlock"], `${lineOf(sheets[0]!, 1)}\n`), { status: 0, out: "unlocked\n" })
    await proxy.until(/listening/)
    t.match(proxy.output, publicKey)
    t.match(await run(["public-key"]), { status: 0, out: `${publicKey}\n` })
    t.match(await run(["unlock"], ""), { status: 5, log: /no auth proxy waits/ })
    await proxy.stop()
    const next = start()
    await next.until(/the key is sealed/)
    t.match(await run(["unlock", "--passphrase"], `${PASSPHRASES[1]}\n`), { status: 0, out: "unlocked\n" })
    await next.until(/listening/)
    t.notOk(PASSPHRASES.some((one) => next.output.includes(one)))
  },
)

t.test("W64: an auth proxy has a daily command of its own, which its own host's settings name", async (t) => {
  const { run, start, sheets, keyFile } = await setup(t)
  const commands = {
    COUNTERSIGN_AUTH_PROXY_SEAL_COMMAND: REVERSE,
    COUNTERSIGN_AUTH_PROXY_UNSEAL_COMMAND: REVERSE,
  }
  const before = readFileSync(keyFile)
  t.match(await run(["change-daily", "--command"], `${lineOf(sheets[0]!, 1)}\n\n`, commands), {
    status: 3,
    log: /nothing was changed/,
  })
  t.match(await run(["change-daily", "--command"], `${lineOf(sheets[0]!, 1)}\n${lineOf(sheets[1]!, 1)}\n`), {
    status: 2,
    log: /--command needs COUNTERSIGN_AUTH_PROXY_SEAL_COMMAND/,
  })
  t.strictSame(readFileSync(keyFile), before)
  const shares = `${lineOf(sheets[0]!, 1)}\n${lineOf(sheets[1]!, 1)}\n`
  t.match(await run(["change-daily", "--command"], shares, commands), {
    status: 0,
    out: /^daily ways: command;/,
  })
  const waiting = run(["unlock", "--command", "--wait", "60"], "", commands)
  const proxy = start()
  t.match(await waiting, { status: 0, out: "unlocked\n" }, "as a unit beside the proxy's does it")
  await proxy.until(/listening/)
  await proxy.stop()
  await start().until(/the key is sealed/)
  for (const [command, log, status] of FAULTY_COMMANDS)
    t.match(
      await run(["unlock", "--command"], "", { COUNTERSIGN_AUTH_PROXY_UNSEAL_COMMAND: command }),
      { status, out: "", log },
      command,
    )
  t.match(await run(["unlock", "--command"], "", commands), { status: 0, out: "unlocked\n" })
  for (const [words, log] of [
    [["unlok"], /did you mean unlock/],
    [["unlock", "--by", "shares"], /--by belongs to change-daily/],
    [["status", "--wait", "soon"], /--wait: write a whole number/],
  ] as const)
    t.match(await run(words), { status: 2, log }, words.join(" "))
})

t.test("W119: in production an auth proxy neither uses nor makes a plain key", async (t) => {
  const directory = t.testdir()
  const file = join(directory, "key")
  t.throws(() => openOwnKey(file, { isProduction: true }), { message: /is missing.*--auth-proxy-key FILE/ })
  t.ok("privateKey" in openOwnKey(file))
  t.throws(() => openOwnKey(file, { isProduction: true }), {
    message: /is a plain key.*--auth-proxy-key FILE/,
  })
})

t.test("a change of a proxy's daily ways without a sealed key changes nothing", async (t) => {
  const directory = t.testdir()
  const keyFile = join(directory, "key")
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const pem = privateKey.export({ type: "pkcs8", format: "pem" })
  const change = {
    name: "change-daily",
    json: false,
    by: "shares",
    usesPassphrase: false,
    usesCommand: false,
  } as const
  for (const content of [undefined, pem]) {
    if (content !== undefined) writeFileSync(keyFile, content, { mode: 0o600 })
    const changed = runKeyCommand(change, { keyFile } as never)
    await t.rejects(changed, {
      status: 1,
      message: /key is no sealed key, so nothing was changed: .*--auth-proxy-key/,
    })
    t.strictSame(existsSync(keyFile) ? readFileSync(keyFile, "utf8") : undefined, content)
  }
})

t.test("an unlocking ends when no whole reply of the proxy comes in time", async (t) => {
  const directory = mkdtempSync(join(tmpdir(), "cs-unlock-"))
  t.teardown(() => rmSync(directory, { recursive: true }))
  const timeout = AbortSignal.timeout.bind(AbortSignal)
  // A tenth of a second in the place of half a minute.
  t.capture(AbortSignal, "timeout", (delayMs: number) => timeout(delayMs / 300))
  const head = (length: number) => `HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: ${length}\r\n\r\n`
  const whole = (text: string) => head(Buffer.byteLength(text)) + text
  const cases: [reply: string, isClosed: boolean, why: RegExp][] = [
    ["", false, /no reply in time/],
    [head(100), false, /no reply in time/],
    [`${head(100)}{"given":`, true, /ECONNRESET/],
    [head(70_000) + "x".repeat(66_000), false, /its reply is too long/],
    [whole("no JSON"), false, /its reply is of another program/],
    [whole("null"), false, /its reply is of another program/],
    [whole('{"given":7,"threshold":2}'), false, /its reply is of another program/],
    [whole('{"given":[],"threshold":2,"wrappedKey":"AAA!"}'), false, /its reply is of another program/],
  ]
  for (const [reply, isClosed, why] of cases) {
    const server = createServer((socket) => {
      socket.on("error", () => undefined)
      socket.once("data", () => socket.write(reply, () => isClosed && socket.destroy()))
    })
    const keyFile = join(directory, "key")
    server.listen(unlockSocketOf(keyFile))
    await once(server, "listening")
    const asked = runKeyCommand({ name: "status", waitSeconds: 0 } as never, { keyFile } as never)
    await t.rejects(asked, { status: 5, message: why }, String(why))
    server.close()
  }
})
