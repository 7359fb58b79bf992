// Credentials of OAuth 2.0 and on-ramp providers. Their secrets come from files, standard input or a prompt, and the running
// fetcher opens them.
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import { COINBASE_KEY_ID, coinbaseKey } from "../../../harness/on-ramp.ts"
import { runAtTerminal, runWithInput } from "../dev-process.ts"
import { devOrganization } from "./shared-dev.ts"

const PROGRAM = "services/cli/main.ts"
const SECRET = "xoauth-NotARealSecret"

t.test("credentials of providers", async (t) => {
  const { call, json, directory } = await devOrganization(t)
  const file = (name: string, text: string) => {
    const path = join(directory, name)
    writeFileSync(path, text)
    return path
  }
  const secret = file("secret.txt", `${SECRET}\n`)
  const clientOf = (name: string) => json("oauth2-credential", "show", name)

  await t.test("a client secret is sealed from a file, and the fetcher opens it", async (t) => {
    const create = ["oauth2-credential", "create", "app", "--provider", "x", "--secret", secret]
    const dry = await call(...create, "--dry-run")
    t.match(JSON.parse(dry.out), {
      type: "ACTIVITY_TYPE_CREATE_OAUTH2_CREDENTIAL",
      parameters: { provider: "OAUTH2_PROVIDER_X", clientId: "app", encryptedClientSecret: /^[0-9a-f]+$/ },
    })
    const made = await call(...create)
    t.match(made, { status: 0, out: /^created oauth2 credential app [0-9a-f-]{36}$/ })
    t.notMatch(dry.out + dry.log + made.out + made.log, SECRET)
    t.match((await call("oauth2-credential", "list")).out, /^CLIENT ID +PROVIDER +ID\napp +x +[0-9a-f-]{36}$/)
    t.match(await clientOf("ap"), { clientId: "app", encryptedClientSecret: /^[0-9a-f]+$/ })
    t.match(
      await call("oauth2-credential", "create", "other", "--provider", "facebook", "--secret", secret),
      {
        status: 2,
        log: /there is no such value; use x, discord/,
      },
    )
  })

  await t.test("a client secret is sealed from standard input, or asked for without echo", async (t) => {
    const create = ["oauth2-credential", "create", "piped", "--provider", "discord"]
    const piped = await runWithInput(directory, `${SECRET}\n`, PROGRAM, ...create)
    t.match(piped, { status: 0, out: /^created oauth2 credential piped / })
    t.notMatch(piped.out + piped.log, SECRET)
    const before = (await clientOf("piped")).encryptedClientSecret
    const update = ["oauth2-credential", "update", "piped", "--client-id", "piped", "--provider", "discord"]
    const question = { question: "client secret: ", answer: SECRET }
    const asked = await runAtTerminal(directory, question, ...update)
    t.match(asked, { status: 0, text: /updated oauth2 credential piped/ })
    t.notMatch(asked.text, SECRET)
    t.not((await clientOf("piped")).encryptedClientSecret, before)
    t.match(await runWithInput(directory, "", PROGRAM, ...update), {
      status: 2,
      log: /the client secret is empty/,
    })
    t.match(await call(...update, "--secret", join(directory, "none")), {
      status: 2,
      log: /cannot read .*ENOENT/,
    })
    const byFile = ["oauth2-credential", "create", "--file", "-", "--dry-run"]
    const members = { provider: "OAUTH2_PROVIDER_X", clientId: "whole", encryptedClientSecret: before }
    const dry = await runWithInput(directory, JSON.stringify(members), PROGRAM, ...byFile)
    t.match(JSON.parse(dry.out), { parameters: members }, "a member of the file is asked for no more")
    t.match(await runWithInput(directory, JSON.stringify({ clientId: "x" }), PROGRAM, ...byFile), {
      status: 2,
      log: /--file - and --secret - both read standard input/,
    })
    t.match(await call("oauth2-credential", "delete", "piped"), { status: 0 })
    t.match(await call("oauth2-credential", "show", "piped"), {
      status: 2,
      log: /there is no OAuth 2\.0 credential “piped”: there is app/,
    })
  })

  await t.test("a secret is no argument, and is sealed to no other deployment", async (t) => {
    const words = ["oauth2-credential", "create", "app2", "--provider", "x"]
    t.match(await call(...words, "--secret", SECRET), { status: 2, log: /cannot read/ })
    const pins = JSON.parse(readFileSync(join(directory, "pins.json"), "utf8"))
    const without = file("pins-without", JSON.stringify({ ...pins, fetcherPublicKey: undefined }))
    t.match(await call(...words, "--secret", secret, "--pins", without), {
      status: 2,
      log: /names no fetcher/,
    })
    const other = { ...pins, fetcherPublicKey: pins.signerPublicKey }
    const strange = file("pins-of-another", JSON.stringify(other))
    t.match(await call(...words, "--secret", secret, "--pins", strange), {
      status: 3,
      log: /CLIENT_SECRET_INVALID/,
    })
  })

  await t.test("a repeated command is the same request only with the same secret", async (t) => {
    const requests = join(directory, "requests")
    const words = ["oauth2-credential", "create", "later", "--provider", "x", "--api", "http://127.0.0.1:9"]
    const before = new Set(readdirSync(requests))
    const kept = () => readdirSync(requests).filter((name) => !before.has(name))
    const count = async (path: string) => {
      t.match(await call(...words, "--secret", path), { status: 5 })
      return kept().length
    }
    t.equal(await count(secret), 1)
    t.equal(await count(secret), 1)
    t.equal(await count(file("another.txt", "another-NotARealSecret")), 2)
    for (const name of kept()) {
      const text = readFileSync(join(requests, name), "utf8")
      t.notMatch(text, "NotARealSecret")
      t.match(JSON.parse(JSON.parse(text).body), { type: "ACTIVITY_TYPE_CREATE_OAUTH2_CREDENTIAL" })
    }
  })

  await t.test(
    "keys of an on-ramp provider, live and for its test system, are named by provider",
    async (t) => {
      const moonPay = ["--provider", "moonpay", "--publishable-api-key", "pk_test_NotARealKey"]
      const keys = file("keys.txt", "sk_test_NotARealKey0123456789")
      const made = await call("on-ramp-credential", "create", ...moonPay, "--sandbox-mode", "--secret", keys)
      t.match(made, { status: 0, out: /^created on ramp credential [0-9a-f-]{36}$/ })
      t.match(
        (await call("on-ramp-credential", "list")).out,
        /^NAME .*\nmoonpay-sandbox +pk_test_NotARealKey +/,
      )
      const words = ["on-ramp-credential", "update", "moonpay-sandbox"]
      const next = ["--provider", "moonpay", "--publishable-api-key", "pk_test_Another"]
      t.match(await runWithInput(directory, "sk_test_Another", PROGRAM, ...words, ...next), { status: 0 })
      t.match(await json("on-ramp-credential", "show", "moon"), {
        publishableApiKey: "pk_test_Another",
        sandboxMode: true,
      })
      const coinbase = ["--provider", "coinbase", "--project-id", "p", "--publishable-api-key", "k"]
      const both = [...coinbase, "--private-key", "-"]
      t.match(await runWithInput(directory, "x", PROGRAM, "on-ramp-credential", "create", ...both), {
        status: 2,
        log: /--secret - and --private-key - both read standard input: name a file for one of them/,
      })
      const keyFiles = [
        "--secret",
        file("id.txt", COINBASE_KEY_ID),
        "--private-key",
        file("key.pem", coinbaseKey("ES256").text),
      ]
      t.match(await call("on-ramp-credential", "create", ...coinbase, ...keyFiles), { status: 0 })
      t.match(await json("on-ramp-credential", "show", "coinbase"), { projectId: "p", sandboxMode: false })
      t.match(await call("on-ramp-credential", "delete", "coinbase"), { status: 0 })
      t.match(await call("on-ramp-credential", "delete", "moonpay-sandbox"), { status: 0 })
      t.strictSame(await json("on-ramp-credential", "list"), [])
    },
  )
})
