// Profiles, and the commands that check what a profile relies on, against a development system.
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import { generateApiKey } from "../../../../services/terminal-client/api-key.ts"
import { writeKey } from "../../../../services/terminal-client/key-folder.ts"
import { commandLine } from "../command-line.ts"
import { readEnvFile, runProgram } from "../dev-process.ts"
import { devOrganization } from "./shared-dev.ts"

t.test("profiles", async (t) => {
  const { directory: dev, system, organizationId: organization, json } = await devOrganization(t)
  const { BASE_URL: api = "" } = readEnvFile(dev)
  // Another machine: it has nothing but a copy of one key.
  const own = t.testdir()
  const call = (...words: string[]) => commandLine({ COUNTERSIGN_DATA_DIR: own }, ...words)
  const key = join(dev, "keys", "alice.private")
  const { digest } = await json("pins", "show")
  const folder = join(own, "profiles", "acme")

  await t.test(
    "login makes a profile from a key file of the published layout, and uses it from then on",
    async (t) => {
      t.match(await call("whoami"), { status: 2 })
      const made = await call("login", "acme", "--api", api, "--key", key, "--pins-digest", digest)
      t.match(made, {
        status: 0,
        out: `profile acme is active: ${api}, organization ${organization}`,
        log: "",
      })
      t.match(JSON.parse((await call("whoami", "--json")).out), {
        username: "alice",
        organizationId: organization,
      })
      t.match((await call("profile", "list")).out, "  dev\n* acme")
      t.match((await call("profile", "show")).out, /name +acme\napiUrl +http[^]*as +alice\n/)
      for (const file of ["profile.json", "pins.json", "keys/alice.private"])
        t.equal(statSync(join(folder, file)).mode & 0o777, 0o600, file)
      t.equal(statSync(folder).mode & 0o777, 0o700)
      t.equal(
        readFileSync(join(folder, "keys", "alice.public"), "utf8"),
        readFileSync(join(dev, "keys", "alice.public"), "utf8"),
      )
    },
  )

  await t.test("requests without outcome are kept in the profile's folder", async (t) => {
    t.match(await call("wallet", "create", "X", "--api", "http://127.0.0.1:9"), { status: 5 })
    t.ok(existsSync(join(folder, "requests")))
    t.notOk(existsSync(join(own, "requests")))
  })

  await t.test("a login that fails leaves no profile", async (t) => {
    const at = ["--api", api, "--organization", organization]
    const file = join(own, "stranger")
    writeFileSync(file, "11".repeat(32))
    t.match(await call("login", "b", ...at, "--key", file), { status: 3 }, "the API does not know the key")
    t.match(await call("login", "b", ...at, "--key", key, "--pins-digest", "00".repeat(32)), { status: 6 })
    t.match(await call("login", "acme", ...at, "--key", key), { status: 2, log: /there is a profile acme/ })
    t.match(await call("login", "dev", ...at, "--key", key), { status: 2, log: /choose another name/ })
    t.match(await call("login", "b", ...at), { status: 2, log: /--key FILE/ })
    t.notOk(existsSync(join(own, "profiles", "b")))
    t.match((await call("profile", "show")).out, /name +acme/)
  })

  await t.test("login makes an organization from a setup code", async (t) => {
    await writeKey(join(own, "keys"), "founder", generateApiKey())
    const publicKey = readFileSync(join(own, "keys", "founder.public"), "utf8")
    const code = await runProgram(system, "signer/operator/main.ts", "setup-code", "--for", publicKey)
    const setupCode =
      code.out
        .split("\n")
        .find((line) => /^[\w-]{80,}=*$/.test(line.trim()))
        ?.trim() ?? code.out.trim()
    const words = ["--setup-code", setupCode, "--organization-name", "Globex", "--user-name", "hank"]
    t.match(await call("login", "globex", "--api", api, ...words), {
      status: 0,
      out: /profile globex is active/,
    })
    t.match(JSON.parse((await call("whoami", "--json")).out), {
      username: "hank",
      organizationName: "Globex",
    })
    t.match(await call("pins", "check"), { status: 0, out: digest })
  })

  await t.test("a profile is chosen by option, environment, or use", async (t) => {
    const nameOf = async (environment: NodeJS.ProcessEnv, ...words: string[]) => {
      const { out } = await commandLine(
        { COUNTERSIGN_DATA_DIR: own, ...environment },
        "whoami",
        "--json",
        ...words,
      )
      return JSON.parse(out).username
    }
    t.equal(await nameOf({}), "hank")
    t.equal(await nameOf({}, "--profile", "acme"), "alice")
    t.equal(await nameOf({ COUNTERSIGN_PROFILE: "acme" }), "alice")
    t.match(await call("profile", "use", "acme"), { status: 0 })
    t.equal(await nameOf({}), "alice")
    t.match(await call("whoami", "--profile", "acne"), {
      status: 2,
      log: /there is no profile “acne”: did you mean acme\?/,
    })
  })

  await t.test("doctor finds what is wrong, and its status is that of the fault", async (t) => {
    const well = await call("doctor")
    t.equal(well.status, 0, well.out + well.log)
    t.match(
      well.out,
      /^ok +API: [^]*ok +clock: [^]*ok +pins: [^]*ok +key: alice is the key of user alice in Dev[^]*ok +deployment: seal epoch 1; no certificate/,
    )
    t.notMatch(well.out, /dashboard:/, "none is configured for this profile")
    chmodSync(join(folder, "keys", "alice.private"), 0o644)
    t.match(await call("doctor"), {
      status: 2,
      out: /FAULT +key: .*can be read by others \(mode 644\): chmod 600/,
    })
    chmodSync(join(folder, "keys", "alice.private"), 0o600)
    t.match(await call("doctor", "--api", "http://127.0.0.1:9"), { status: 5, out: /DOWN +API: / })
    const pins = join(folder, "pins.json")
    const text = readFileSync(pins, "utf8")
    writeFileSync(
      pins,
      text.replace(/(?<="deploymentId": ")./, (digit) => (digit === "f" ? "0" : "f")),
    )
    t.match(await call("doctor", "--json"), { status: 6, out: /"name":"pins","state":"FAULT"/ })
    t.match(await call("pins", "check"), { status: 6, log: /shows other pins/ })
    writeFileSync(pins, text)
  })

  await t.test("a deleted profile takes its keys along, and dev is active again", async (t) => {
    t.match(await call("profile", "delete", "acme"), { status: 0 })
    t.notOk(existsSync(folder))
    t.match((await call("profile", "list")).out, "* dev\n  globex")
    t.match(await call("profile", "delete", "acme"), { status: 2 })
  })
})
