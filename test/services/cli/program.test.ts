import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import { generateApiKey } from "../../../services/terminal-client/api-key.ts"
import { bindKey, writeKey } from "../../../services/terminal-client/key-folder.ts"
import { packageRoot } from "../../../services/terminal-client/settings.ts"
import { commandLine } from "./command-line.ts"
import { dataDirectory } from "./dev-process.ts"
import { fakeApi } from "./fake-api.ts"

const WHOAMI = "/public/v1/query/whoami"

t.test("the command line prints version and help on standard output", async (t) => {
  const { version } = JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8"))
  t.match(await commandLine({}, "--version"), { status: 0, out: version, log: "" })
  t.match(await commandLine({}, "help", "org"), { status: 0, out: /create/ })
  t.match(await commandLine({}, "help", "policy", "test"), {
    status: 0,
    out: /^Usage: countersign policy test /,
  })
  t.match(await commandLine({}, "help"), { status: 0, out: /^Usage: countersign \[options\] \[command\]/ })
  t.match(await commandLine({}, "dev", "--help"), { status: 0, out: /--reset[^]*--no-seed/ })
})

t.test("help lists a command's own options first, apart from those that it shares", async (t) => {
  for (const [words, own] of [
    [["send"], "--chain"],
    [["activity", "list"], "--status"],
    [["transaction", "cancel"], "--max-fee-per-gas"],
  ] as const) {
    const { out } = await commandLine({}, ...words, "--help")
    const [, , ownPart = "", commonPart = ""] = out.split(/\n\n(?=\S)/)
    t.ok(ownPart.startsWith("Options:") && ownPart.includes(own), out)
    t.ok(commonPart.startsWith("Common options:") && !commonPart.includes(own), out)
  }
})

t.test("an unknown command line is a usage fault", async (t) => {
  for (const words of [
    ["nonsense"],
    ["whoami", "--nonsense"],
    ["org", "create"],
    ["request"],
    ["help", "policy", "nonsense"],
  ]) {
    const { status, out, log } = await commandLine({}, ...words)
    t.equal(status, 2, words.join(" "))
    t.equal(out, "")
    t.match(log, /error:/)
  }
})

t.test("an unknown subcommand suggests the closest one of its group", async (t) => {
  for (const [words, meant, group] of [
    [["walet", "list"], "wallet", ""],
    [["wallet", "lst"], "list", " wallet"],
    [["dev", "inbx"], "inbox", " dev"],
    [["help", "wallet", "lst"], "list", " wallet"],
  ] as const) {
    const { status, out, log } = await commandLine({}, ...words)
    t.match({ status, out }, { status: 2, out: "" })
    t.match(
      log,
      new RegExp(
        `^error: unknown command '[a-z]+'\\n\\(Did you mean ${meant}\\?\\)\\ncountersign${group} --help lists the commands$`,
      ),
      words.join(" "),
    )
  }
  const { log } = await commandLine({}, "wallet", "nonsense", "--json")
  t.match(JSON.parse(log), { error: { exitStatus: 2, message: "unknown command 'nonsense'" } })
  t.match(await commandLine({}, "policy", "check", "a", "b"), {
    status: 2,
    log: /too many arguments for 'check'/,
  })
})

t.test("the command line reports every fault of its settings at once", async (t) => {
  const settings = { COUNTERSIGN_API_LISTEN: "nowhere", COUNTERSIGN_DATADIR: "x" }
  const { status, log } = await commandLine(settings, "key", "generate", "a")
  t.equal(status, 2)
  t.match(log, /COUNTERSIGN_DATADIR.*COUNTERSIGN_DATA_DIR/)
  t.match(log, /COUNTERSIGN_API_LISTEN/)
})

t.test("key generate writes to the keys folder and never prints the private half", async (t) => {
  const COUNTERSIGN_DATA_DIR = t.testdir()
  const { status, out } = await commandLine({ COUNTERSIGN_DATA_DIR }, "key", "generate", "carol", "--json")
  t.equal(status, 0)
  const { publicKey, privateKeyFile, publicKeyFile } = JSON.parse(out)
  t.equal(readFileSync(publicKeyFile, "utf8"), publicKey)
  t.notMatch(out, readFileSync(privateKeyFile, "utf8"))
  t.equal((await commandLine({ COUNTERSIGN_DATA_DIR }, "key", "generate", "carol")).status, 2)
})

t.test("whoami stamps with the named key and queries that key's organization", async (t) => {
  const COUNTERSIGN_DATA_DIR = t.testdir()
  const folder = join(COUNTERSIGN_DATA_DIR, "keys")
  await writeKey(folder, "alice", generateApiKey())
  const api = await fakeApi(t, { [WHOAMI]: { reply: { userId: "u-2" } } })
  const call = (...words: string[]) =>
    commandLine({ COUNTERSIGN_DATA_DIR }, "whoami", "--api", api.url, ...words)
  t.match(await call("--as", "al"), { status: 2, log: /--organization/ })
  await bindKey(folder, "alice", "org-1")
  t.match(await call("--as", "al", "--json"), { status: 0, out: '{"userId":"u-2"}' })
  t.equal(api.seen.at(-1)?.body, '{"organizationId":"org-1"}')
  t.match(api.seen.at(-1)?.stamp, /^[\w-]+$/)
  await call("--as", "alice", "--organization", "org-2")
  t.equal(api.seen.at(-1)?.body, '{"organizationId":"org-2"}')
})

t.test("request wraps parameters into an activity, and its exit status gives the outcome", async (t) => {
  const COUNTERSIGN_DATA_DIR = t.testdir()
  const folder = join(COUNTERSIGN_DATA_DIR, "keys")
  await writeKey(folder, "root", generateApiKey())
  await bindKey(folder, "root", "org-1")
  const activity = { status: "ACTIVITY_STATUS_CONSENSUS_NEEDED", result: {} }
  const api = await fakeApi(t, { "/public/v1/submit/create_wallet": { reply: { activity } } })
  const call = (...words: string[]) =>
    commandLine({ COUNTERSIGN_DATA_DIR }, "request", ...words, "--api", api.url)
  const { status, out, log } = await call("create_wallet", '{"walletName":"A"}', "--submit", "create_wallet")
  t.equal(status, 4)
  t.match(JSON.parse(out), { activity })
  t.match(log, /waiting for approval: sha256:[0-9a-f]{64}/)
  t.match(JSON.parse(api.seen[0]?.body ?? ""), {
    type: "ACTIVITY_TYPE_CREATE_WALLET",
    organizationId: "org-1",
    parameters: { walletName: "A" },
  })
  t.match(await call("create_wallet", "{", "--submit", "create_wallet"), { status: 2, log: /BODY/ })
  t.match(await call("create_wallet", "[]"), { status: 2, log: /BODY/ })
})

t.test("request sends no body with a member that the operation does not have", async (t) => {
  const COUNTERSIGN_DATA_DIR = t.testdir()
  const folder = join(COUNTERSIGN_DATA_DIR, "keys")
  await writeKey(folder, "root", generateApiKey())
  await bindKey(folder, "root", "019b76da-a800-7000-8000-000000000001")
  const reply = { activity: { status: "ACTIVITY_STATUS_COMPLETED", result: {} } }
  const api = await fakeApi(t, {
    "/public/v1/submit/create_wallet": { reply },
    "/public/v1/submit/create_moon": { reply },
    "/public/v1/query/get_wallet": { reply: {} },
  })
  const call = (...words: string[]) =>
    commandLine({ COUNTERSIGN_DATA_DIR }, "request", ...words, "--api", api.url)
  const wallet = (more: object) =>
    call(
      "create_wallet",
      JSON.stringify({ walletName: "A", accounts: [], ...more }),
      "--submit",
      "create_wallet",
    )
  t.match(await wallet({ walletNames: "B" }), { status: 2, log: /did you mean `walletName`\?/ })
  t.match(await wallet({ color: "red", shape: 1 }), {
    status: 2,
    log: /the operation has no parameters\.color, parameters\.shape; leave out/,
  })
  t.match(await call("get_wallet", '{"walletId":"019b76da-a800-7000-8000-000000000002","color":1}'), {
    status: 2,
    log: /no color;/,
  })
  t.equal(api.seen.length, 0)
  t.match(await wallet({ mnemonicLength: null }), { status: 0 })
  t.match(await call("get_wallet", '{"walletId":"019b76da-a800-7000-8000-000000000002"}'), { status: 0 })
  t.match(await call("create_moon", '{"color":1}', "--submit", "create_moon"), { status: 0 }, "a later type")
})

t.test("request prints the notes about a policy beside its reply", async (t) => {
  const COUNTERSIGN_DATA_DIR = t.testdir()
  await writeKey(join(COUNTERSIGN_DATA_DIR, "keys"), "root", generateApiKey())
  const activity = { status: "ACTIVITY_STATUS_COMPLETED", result: {} }
  const headers = { "X-Countersign-Policy-Warnings": '[{"policyName":"P","sentence":"too wide"}]' }
  const api = await fakeApi(t, { "/public/v1/submit/create_policy": { reply: { activity }, headers } })
  const words = ["request", "create_policy", '{"policyName":"P"}', "--submit", "create_policy_v3", "--json"]
  const ended = await commandLine(
    { COUNTERSIGN_DATA_DIR },
    ...words,
    "--organization",
    "org-1",
    "--api",
    api.url,
  )
  t.match(ended, { status: 0, log: "      P\n  note  too wide" })
  t.match(JSON.parse(ended.out), { activity }, "standard output is the reply alone")
})

t.test("request prints its reply on one line under --json, else indented", async (t) => {
  const COUNTERSIGN_DATA_DIR = t.testdir()
  await writeKey(join(COUNTERSIGN_DATA_DIR, "keys"), "root", generateApiKey())
  const api = await fakeApi(t, { [WHOAMI]: { reply: { userId: "u-2" } } })
  const words = ["request", "whoami", "--organization", "org-1", "--api", api.url]
  const call = (...more: string[]) => commandLine({ COUNTERSIGN_DATA_DIR }, ...words, ...more)
  t.match(await call("--json"), { status: 0, out: /^\{"userId":"u-2"\}$/ })
  t.match(await call(), { status: 0, out: '{\n  "userId": "u-2"\n}' })
})

t.test("an unknown operation is refused with the most similar name", async (t) => {
  const COUNTERSIGN_DATA_DIR = t.testdir()
  await writeKey(join(COUNTERSIGN_DATA_DIR, "keys"), "root", generateApiKey())
  const api = await fakeApi(t, {})
  const said = async (...words: string[]) => {
    const common = ["--organization", "org-1", "--api", api.url]
    const { status, log } = await commandLine({ COUNTERSIGN_DATA_DIR }, "request", ...words, ...common)
    t.equal(status, 3)
    return log
  }
  t.match(
    await said("create_wallet", "{}"),
    /create_wallet is an activity.*did you mean --submit create_wallet\?/,
  )
  t.match(await said("create_users", "{}"), /--submit create_users_v4\?/, "the newest type of the path")
  t.match(await said("list_walets"), /Did you mean list_wallets\?/)
  t.match(await said("create_walet"), /Did you mean create_wallet --submit create_wallet\?/)
  t.match(
    await said("create_walet", "{}", "--submit", "create_wallet"),
    /Did you mean create_wallet --submit/,
  )
  t.match(
    await said("whoami", "{}", "--submit", "whoami"),
    /whoami is a query: did you mean to omit --submit\?/,
  )
  t.notMatch(await said("something_else_entirely"), /id you mean/)
})

t.test("reports an --api that is not a URL as a usage fault", async (t) => {
  const COUNTERSIGN_DATA_DIR = t.testdir()
  await writeKey(join(COUNTERSIGN_DATA_DIR, "keys"), "root", generateApiKey())
  for (const address of ["localhost:8080", "ftp://x", "http://", "https://[", "x"]) {
    const words = ["whoami", "--organization", "org-1", "--api", address]
    const { status, log } = await commandLine({ COUNTERSIGN_DATA_DIR }, ...words)
    t.equal(status, 2, address)
    t.match(log, `--api ${address}: not a URL; use http:// or https://`)
  }
})

t.test("reports a missing data directory, not a missing key", async (t) => {
  const COUNTERSIGN_DATA_DIR = join(t.testdir(), "none")
  t.match(await commandLine({ COUNTERSIGN_DATA_DIR }, "whoami"), {
    status: 2,
    log: /there is no data directory \S+none: .*npm start has never run there/,
  })
  const named = await commandLine({ COUNTERSIGN_DATA_DIR }, "whoami", "--keys-folder", COUNTERSIGN_DATA_DIR)
  t.match(named, { status: 2, log: /no key "root"/ })
})

t.test("the API's address defaults to that of the last dev", async (t) => {
  const api = await fakeApi(t, { [WHOAMI]: { reply: { userId: "u-2" } } })
  const COUNTERSIGN_DATA_DIR = t.testdir({ ".env.local": `BASE_URL="${api.url}"\n` })
  await writeKey(join(COUNTERSIGN_DATA_DIR, "keys"), "root", generateApiKey())
  const words = ["whoami", "--organization", "org-1"]
  t.match(await commandLine({ COUNTERSIGN_DATA_DIR }, ...words), { status: 0 })
  const elsewhere = { COUNTERSIGN_DATA_DIR, COUNTERSIGN_API_LISTEN: "127.0.0.1:9" }
  t.match(await commandLine(elsewhere, ...words), { status: 5, log: /127\.0\.0\.1:9/ })
})

t.test("dev refuses an address beyond the loopback, and a data directory that is a file", async (t) => {
  const file = dataDirectory(t)
  writeFileSync(file, "")
  const open = { COUNTERSIGN_DATA_DIR: file, COUNTERSIGN_API_LISTEN: "0.0.0.0:8080" }
  t.match(await commandLine(open, "dev"), { status: 2, log: /beyond the loopback/ })
  t.match(await commandLine({ COUNTERSIGN_DATA_DIR: file }, "dev"), { status: 2, log: /is a file/ })
})

t.test("refusals, faults and timeouts have different exit statuses", async (t) => {
  const COUNTERSIGN_DATA_DIR = t.testdir()
  await writeKey(join(COUNTERSIGN_DATA_DIR, "keys"), "root", generateApiKey())
  const outcomes = [
    [400, 3],
    [401, 3],
    [403, 3],
    [404, 3],
    [405, 3],
    [413, 3],
    [500, 1],
    [501, 3],
    [502, 5],
    [503, 5],
    [504, 5],
  ] as const
  for (const [status, expected] of outcomes) {
    const api = await fakeApi(t, { [WHOAMI]: { status, reply: { code: 1, message: `says ${status}` } } })
    const ended = await commandLine({ COUNTERSIGN_DATA_DIR }, "request", "whoami", "--api", api.url)
    t.match(ended, { status: expected, log: `countersign: says ${status}`, out: "" })
  }
  const nobody = await commandLine(
    { COUNTERSIGN_DATA_DIR },
    "request",
    "whoami",
    "--api",
    "http://127.0.0.1:9",
  )
  t.match(nobody, { status: 5, log: /no answer from.* \(bad port\).*countersign dev/ })
})

t.test("a refusal prints its reason, the faulty member and the request id", async (t) => {
  const COUNTERSIGN_DATA_DIR = t.testdir()
  await writeKey(join(COUNTERSIGN_DATA_DIR, "keys"), "root", generateApiKey())
  const details = [
    { "@type": "type.googleapis.com/errors.v1.TurnkeyErrorDetail", turnkeyErrorCode: "REQUEST_INVALID" },
    { fieldViolations: [{ field: "parameters.signWith", description: "not there" }] },
    { reason: "SIGN_WITH_UNKNOWN", domain: "countersign", metadata: { requestId: "r-1" } },
  ]
  const reply = { code: 5, message: "Could not find any resource to sign with.", details }
  const api = await fakeApi(t, { [WHOAMI]: { status: 404, reply } })
  const ended = await commandLine({ COUNTERSIGN_DATA_DIR }, "request", "whoami", "--api", api.url)
  const marks = "(SIGN_WITH_UNKNOWN at parameters.signWith, request r-1)"
  t.match(ended, { status: 3, log: `countersign: Could not find any resource to sign with. ${marks}` })
})
