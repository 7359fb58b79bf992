// Signer, fetcher and API on hosts of their own, whose certificates come from the documented commands alone.
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import t from "tap"
import { blocksOf } from "../docs/markdown.ts"
import { freshDatabase } from "../harness/database.ts"
import { casesOf, isLong } from "../harness/long.ts"
import { found, hasTerminal, JoiningHosts, WORDS } from "../harness/joining-hosts.ts"
import { hasOpenssl } from "../harness/openssl-authority.ts"
import { Program } from "../harness/program.ts"
import { System } from "../harness/system.ts"
import { signs, wallet } from "./wallets.ts"

const shell = blocksOf("docs/OPERATIONS.md").filter(({ language }) => language === "shell")
const blockWith = (text: string) => {
  const found = shell.filter((block) => block.text.includes(text))
  if (found.length !== 1) throw new Error(`docs/OPERATIONS.md has ${found.length} blocks with ${text}`)
  return found[0]?.text ?? ""
}

const [request, answer] = [/countersign-join-request\.[\w-]+/, /countersign-join-answer\.[\w-]+/]

/** The settings that a command prints for its process. */
function settingsIn(out: string): { [name: string]: string } {
  return Object.fromEntries(
    [...out.matchAll(/^ {2}(COUNTERSIGN_\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
  )
}

const withoutTerminal = hasTerminal ? false : "needs script of util-linux"

t.test("the documented commands give three processes their certificates", async (t) => {
  const joining = await JoiningHosts.create(t, "signer", "fetcher", "api")
  const run = joining.run.bind(joining)
  const signer = await run("signer", blockWith("npx countersign-signer certificate"))
  t.equal(signer.status, 0, signer.log)

  const asked = await run("fetcher", blockWith("npx countersign-fetcher join"))
  t.match(asked, { status: 0, out: new RegExp(`^${request.source}$`) })
  const words = found(WORDS, asked.log)
  const pair = "npx countersign-signer pair"
  const issued = await run("signer", `${pair} fetcher --join "$REQUEST" --words "$WORDS"`, {
    REQUEST: asked.out,
    WORDS: words,
  })
  t.match(issued, { status: 0, out: new RegExp(`^${answer.source}$`) })
  const [authorityWords = ""] = [...issued.log.matchAll(new RegExp(WORDS, "g"))].flat().slice(-1)
  const installed = await run("fetcher", 'npx countersign-fetcher join --answer "$ANSWER" --words "$WORDS"', {
    ANSWER: issued.out,
    WORDS: authorityWords,
  })
  t.equal(installed.status, 0, installed.log)

  const api = await run("api", blockWith("npx countersign-node join api\n"))
  t.match(api, { status: 0, out: new RegExp(`^${request.source}$`) })
  const REQUEST = api.out
  /** Of the API, as its host shows them. */
  let settings: { [name: string]: string } = {}

  await t.test("only with the words that the other host shows", async (t) => {
    const refused: [string, number, RegExp][] = [
      [
        `${pair} api --join "$REQUEST" --words ${words}`,
        3,
        new RegExp(`the words are ${found(WORDS, api.log)}, not ${words}: somebody replaced`),
      ],
      [
        `${pair} fetcher --join "$REQUEST" --words ${words}`,
        3,
        /the request is of api, and you expect fetcher/,
      ],
      [`${pair} api --join "$REQUEST"`, 2, /there is no terminal to ask at: add --words/],
      [`${pair} worker --join "$REQUEST"`, 3, /the request is of api, and you expect worker/],
      [`${pair} api --join ${issued.out}`, 2, /wrong kind: an answer belongs on the host that asked/],
      [`${pair} --join "$REQUEST"`, 2, /pair --join needs the name that you expect/],
      [`${pair} api`, 2, /"api" is not expected after pair/],
    ]
    for (const [script, status, log] of casesOf(1, refused))
      t.match(await run("signer", script, { REQUEST }), { status, out: "", log }, script)
  })

  await t.test(
    "the operator and the API's user compare words at their terminals",
    { skip: withoutTerminal },
    async (t) => {
      const block = blockWith(`pair api --join "$REQUEST"`)
      const no = await joining.runAtTerminal("signer", block, "n", { REQUEST })
      t.match(no, /nothing was done/)
      t.match(no, /status 3$/)
      t.notMatch(no, answer)
      const shown = await joining.runAtTerminal("signer", block, "y", { REQUEST })
      t.ok(shown.includes(found(WORDS, api.log)), "both hosts show the same words")
      t.match(shown, /api asks for the certificate of a caller/)
      const ANSWER = found(answer, shown)
      const here = await joining.runAtTerminal(
        "api",
        blockWith("npx countersign-node join api --answer"),
        "y",
        {
          ANSWER,
        },
      )
      t.ok(here.includes(authorityWords))
      t.match(here, /The signer at signer\.internal:\d+ does not answer this certificate: .*Start it/)
      t.match(here, /status 0$/)
      settings = settingsIn(here)
      if (!isLong) return
      const again = await run("api", `npx countersign-node join api --answer "$ANSWER"`, { ANSWER })
      t.match(again, { status: 3, out: "", log: /^countersign-node: this answer was used already/ })
      const twice = await run("signer", `${pair} api --join "$REQUEST" --words ${words}`, { REQUEST })
      t.match(twice, { status: 3, out: "", log: /the request was used already, .*make a new request/ })
    },
  )

  if (!hasTerminal) {
    const { out: ANSWER } = await joining.answerTo("api", REQUEST, found(WORDS, api.log))
    const script = 'npx countersign-node join api --answer "$ANSWER" --words "$WORDS"'
    const { status, out } = await run("api", script, { ANSWER, WORDS: authorityWords })
    t.equal(status, 0)
    settings = settingsIn(out)
  }
  const hosts = {
    signer: joining.systemHost("signer", settingsIn(signer.out)),
    api: joining.systemHost("api", settings),
  }
  const fetcherSettings = { ...joining.environmentOf("fetcher"), ...settingsIn(installed.out) }

  const { url } = await freshDatabase(t)
  const system = await System.startOn(url, hosts)
  t.teardown(() => system.stop())
  const fetcher = new Program({
    file: "signer/fetcher/main.ts",
    words: ["serve", "--init"],
    environment: fetcherSettings,
  })
  t.teardown(() => fetcher.stop())
  await fetcher.until(/fetcher is up/)

  await t.test("a wallet signs over mutual TLS", async (t) => {
    const acme = await system.createOrganization()
    await signs(t, system, acme, await wallet(system, acme, "First"))
  })

  // In the short form the signer's certificate alone is renewed, below.
  const renewals = { skip: isLong ? false : "long form" }
  await t.test("a renewal tries both servers, and the running API uses it", renewals, async (t) => {
    const logOf = () => system.logOf("api").split("the certificate was renewed").length
    const before = logOf()
    const renewed = await joining.renew("api")
    t.match(JSON.parse(renewed.out), {
      servers: [
        { name: "signer", address: `signer.internal:${joining.signerPort}`, state: "ok" },
        { name: "fetcher", address: `fetcher.internal:${joining.fetcherPort}`, state: "ok" },
      ],
    })
    t.match(renewed.log, /The fetcher at fetcher\.internal:\d+ answers this certificate\.$/)
    while (logOf() === before) await pause(100)
    const acme = await system.createOrganization("After")
    await signs(t, system, acme, await wallet(system, acme, "Second"))
  })

  // In the short form, test/e2e/certificates.test.ts alone has a caller whose name is not listed.
  const unlisted = { skip: isLong ? false : "long form" }
  await t.test(
    "a caller whose name is not listed learns it when its certificate is installed",
    unlisted,
    async (t) => {
      const asked = await run("api", "npx countersign-node join api --name api-2")
      const { out, log } = await joining.answerTo("api-2", asked.out, found(WORDS, asked.log))
      t.match(log, /CALLERS list/, "the operator sees which setting lists the name")
      const installed = await run("api", 'npx countersign-node join api --name api-2 --answer "$ANSWER"', {
        ANSWER: out,
      })
      t.match(installed, {
        status: 0,
        log: /The signer at .* does not answer this certificate: refuses this certificate: its common name "api-2" is not on the list of callers.*let its setting CALLERS list api-2/,
      })
    },
  )

  await t.test("doctors say how long the certificates are valid", async (t) => {
    const days = /^ok {6}certificate: 36[45] days left, until 20.*; to renew it: countersign-/m
    t.match(await run("signer", "npx countersign-signer doctor", hosts.signer.environment), { out: days })
    if (!isLong) return
    t.match(await run("fetcher", "npx countersign-fetcher doctor", fetcherSettings), { out: days })
    const faulty = {
      ...hosts.signer.environment,
      COUNTERSIGN_SIGNER_TLS_KEY_FILE: join(joining.directoryOf("api"), "api", "tls", "api.key"),
    }
    t.match(await run("signer", "npx countersign-signer doctor", faulty), {
      status: 1,
      out: /^FAULT {3}certificate: the key does not belong to the certificate of signer/m,
    })
  })

  await t.test(
    "OpenSSL accepts the installed certificates",
    { skip: hasOpenssl() ? false : "no OpenSSL 3" },
    async (t) => {
      const tls = (process: string, file: string) => join(joining.directoryOf(process), process, "tls", file)
      const verify = (ca: string, words: string) =>
        execFileSync("openssl", ["verify", "-x509_strict", "-CAfile", ca, ...words.split(" ")], {
          encoding: "utf8",
        }).trim()
      for (const [name, use] of [
        ["signer", "-purpose sslserver -verify_hostname signer.internal"],
        ["fetcher", "-purpose sslserver -verify_hostname fetcher.internal"],
        ["api", "-purpose sslclient"],
      ] as const)
        t.match(verify(tls(name, "ca.crt"), `${use} ${tls(name, `${name}.crt`)}`), /: OK$/)
      const [authority, ...copies] = ["signer", "fetcher", "api"].map((name) =>
        readFileSync(tls(name, "ca.crt"), "utf8"),
      )
      for (const copy of copies) t.equal(copy, authority)
    },
  )

  await t.test("the signer's own certificate is renewed while it runs", async (t) => {
    const certificate = "npx countersign-signer certificate signer.internal:7443"
    if (isLong)
      t.match(await run("signer", certificate), {
        status: 3,
        out: "",
        log: /signer has a certificate, .*add --renew/,
      })
    const before = system.logOf("signer").split("the certificate was renewed").length
    t.match(await run("signer", `${certificate} --renew`), { status: 0, out: authorityWords })
    while (system.logOf("signer").split("the certificate was renewed").length === before) await pause(100)
    const acme = await system.createOrganization("Renewed")
    await signs(t, system, acme, await wallet(system, acme, "Third"))
  })
})

t.test("the commands say what they take", async (t) => {
  const joining = await JoiningHosts.create(t, "nobody")
  const run = joining.run.bind(joining)
  const cases: [string, number, RegExp][] = [
    ["npx countersign-node join api --answer nothing", 2, /copy the whole line/],
    ["npx countersign-fetcher join 127.0.0.1:7444", 2, /cannot be the address of a server/],
    ["npx countersign-signer pair api --join x", 2, /which begins with countersign-join-request/],
    ["npx countersign-node join", 2, /join takes api, the process that joins/],
    [
      "npx countersign-node join worker",
      2,
      /the worker calls neither signer nor fetcher and needs no certificate/,
    ],
    ["npx countersign-node join aip", 2, /did you mean api\?/],
    ["npx countersign-node join api now", 2, /now/],
    ["npx countersign-node join api --name signer", 2, /signer is a server and no caller/],
    ["npx countersign-node join api --words a", 2, /--words belongs to --answer/],
    ["npx countersign-fetcher join", 2, /join takes HOST:PORT/],
    ["npx countersign-fetcher public-key --renew", 2, /belong to join/],
    ["npx countersign-signer certificate", 2, /certificate needs HOST:PORT/],
    ["npx countersign-signer certificate signer.internal", 2, /cannot be the address of a server/],
    ["npx countersign-signer status --renew", 2, /--renew belongs to certificate/],
    ["npx countersign-signer status --join x", 2, /--join belongs to pair/],
  ]
  for (const [script, status, log] of casesOf(1, cases))
    t.match(await run("nobody", script), { status, out: "", log }, script)
  if (!isLong) return
  const json = await run("nobody", "npx countersign-signer pair api --join x --json")
  t.match(JSON.parse(json.log), { error: { exitStatus: 2, message: /copy the whole line/ } })
  t.match(await run("nobody", "npx countersign-node join api --help"), { status: 0, out: /--answer LINE/ })
  const early = await run("nobody", "npx countersign-node join api --json")
  const { request: REQUEST, words: WORDS } = JSON.parse(early.out) as { request: string; words: string }
  t.match(
    await run("nobody", 'npx countersign-signer pair api --join "$REQUEST" --words "$WORDS"', {
      REQUEST,
      WORDS,
    }),
    {
      status: 3,
      log: /no server of this deployment has a certificate yet: countersign-signer certificate HOST:PORT first/,
    },
  )
})
