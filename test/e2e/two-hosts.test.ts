// API and signer on two hosts: two loopback addresses, two folders, and nothing in common but what the documents say.
import { execFileSync } from "node:child_process"
import { cpSync, globSync, mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import t from "tap"
import { requireQueryReply } from "../contract/replies.ts"
import { blocksOf } from "../docs/markdown.ts"
import { freshDatabase } from "../harness/database.ts"
import { isLong } from "../harness/long.ts"
import { patienceMs } from "../harness/patience.ts"
import { Program } from "../harness/program.ts"
import { freePort } from "../harness/free-port.ts"
import { type Host, System } from "../harness/system.ts"
import { signs, wallet } from "./wallets.ts"

const SIGNER_ADDRESS = "127.0.0.2"
const NAMES = "signer.internal=127.0.0.2"
const RESOLVER = ["--import", join(import.meta.dirname, "..", "harness", "host-names.ts")]

const shell = blocksOf("docs/OPERATIONS.md").filter(({ language }) => language === "shell")

function blockWith(text: string): string {
  const found = shell.filter((block) => block.text.includes(text))
  if (found.length !== 1) throw new Error(`docs/OPERATIONS.md has ${found.length} blocks with ${text}`)
  return found[0]?.text ?? ""
}

/** Settings of the documented start of a program. */
function documentedSettings(program: string, port: number): NodeJS.ProcessEnv {
  const block = blockWith(program === "signer" ? "COUNTERSIGN_SIGNER_LISTEN=" : "COUNTERSIGN_SIGNER_ADDRESS=")
  const settings = [...block.matchAll(/\b([A-Z_]+)=(\S+)/g)].map(([, name = "", value = ""]) => [
    name,
    value.replace(":7443", `:${port}`),
  ])
  const { DATABASE_URL: _, ...rest } = Object.fromEntries(settings) as NodeJS.ProcessEnv
  return rest
}

/** Runs the documented commands in `authority`. Gives each host its own certificate and no other file. */
function twoHosts(directory: string, port: number): { authority: string; signer: Host; api: Host } {
  const authority = join(directory, "authority")
  mkdirSync(authority)
  execFileSync("bash", ["-euc", blockWith("openssl req -x509")], { cwd: authority, stdio: "ignore" })
  const host = (name: "signer" | "api"): Host => {
    const own = join(directory, name)
    mkdirSync(own)
    for (const file of ["ca.crt", `${name}.crt`, `${name}.key`])
      cpSync(join(authority, file), join(own, file))
    const environment = { ...documentedSettings(name, port), TEST_HOSTS: NAMES }
    return { directory: own, environment, options: ["--disable-sigusr1", ...RESOLVER] }
  }
  return { authority, signer: host("signer"), api: host("api") }
}

function isOpen(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port })
    socket.once("connect", () => {
      socket.destroy()
      resolve(true)
    })
    socket.once("error", () => resolve(false))
  })
}

function hasOpenssl(): boolean {
  try {
    return execFileSync("openssl", ["version"]).toString().startsWith("OpenSSL 3")
  } catch {
    return false
  }
}

const skip = hasOpenssl() ? false : "no OpenSSL 3"

t.test("API and signer on two hosts", { skip }, async (t) => {
  const directory = mkdtempSync(join(tmpdir(), "cs-hosts-"))
  t.teardown(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }))
  const port = await freePort()
  const { authority, ...hosts } = twoHosts(directory, port)
  const { url } = await freshDatabase(t)
  const system = await System.startOn(url, hosts)
  t.teardown(() => system.stop())
  const acme = await system.createOrganization()
  const address = await wallet(system, acme, "First")

  /** The `/readyz` reply of an API that starts with other settings: its first 200, or its last reply in time. */
  const readiness = async (environment: NodeJS.ProcessEnv, withinMs = 3000) => {
    const listen = `127.0.0.1:${await freePort()}`
    const api = new Program({
      file: "services/api/main.ts",
      options: hosts.api.options,
      environment: {
        ...hosts.api.environment,
        ...environment,
        DATABASE_URL: url,
        COUNTERSIGN_API_LISTEN: listen,
      },
      directory: hosts.api.directory,
    })
    try {
      await api.until(/"listening"/)
      const endMs = Date.now() + withinMs
      for (;;) {
        const reply = await fetch(`http://${listen}/readyz`)
        const said = {
          status: reply.status,
          ...((await reply.json()) as { signer: string; database: string }),
        }
        if (said.status === 200 || Date.now() >= endMs) return said
        await setTimeout(100)
      }
    } finally {
      await api.stop()
    }
  }

  t.test("an organization is created on one host and a wallet signs on the other", async (t) => {
    await signs(t, system, acme, address)
    t.ok(await isOpen(SIGNER_ADDRESS, port), "the signer listens on its host")
    t.notOk(await isOpen("127.0.0.1", port), "and on no other address")
    t.strictSame(
      globSync("**", { cwd: hosts.api.directory })
        .filter((path) => path !== ".")
        .toSorted(),
      ["api.crt", "api.key", "ca.crt"],
    )
  })

  t.test("an operator sees the certificates of both hosts, as OpenSSL made them", async (t) => {
    const { json } = await system.query(
      "get_deployment_state",
      { organizationId: acme.organizationId },
      acme.root,
    )
    const { links, sealEpoch } = requireQueryReply("get_deployment_state", json) as {
      links: { peer: string; certificates: { holder: string; issuer: string; daysLeft: number }[] }[]
      sealEpoch: number
    }
    t.equal(sealEpoch, 1)
    const certificates = links.find(({ peer }) => peer === "SIGNER")?.certificates ?? []
    t.same(
      certificates.map(({ holder }) => holder),
      ["API", "SIGNER"],
    )
    for (const { holder, daysLeft } of certificates) {
      const file = join(authority, `${holder.toLowerCase()}.crt`)
      const isValidFor = (days: number) => {
        try {
          execFileSync("openssl", ["x509", "-in", file, "-noout", "-checkend", String(days * 24 * 3600)])
          return true
        } catch {
          return false
        }
      }
      t.ok(isValidFor(daysLeft), `${holder} is valid for its days`)
      t.notOk(isValidFor(daysLeft + 1), `${holder} is not valid for one more`)
    }
  })

  // In the short form, test/e2e/stop-signer.test.ts alone restarts a signer below a running API.
  if (isLong)
    t.test("the API finds a restarted signer again", async (t) => {
      await system.killSigner()
      await system.startSigner()
      await signs(t, system, acme, address, "after a restart")
    })

  t.test("the signer answers the API's certificate and no other of the same authority", async (t) => {
    if (isLong)
      t.match(await readiness({}, patienceMs(30_000)), { status: 200, database: "ok", signer: "ok" })
    const stolen = await readiness({
      COUNTERSIGN_SIGNER_CLIENT_CERTIFICATE_FILE: join(authority, "fetcher.crt"),
      COUNTERSIGN_SIGNER_CLIENT_KEY_FILE: join(authority, "fetcher.key"),
    })
    t.match(stolen, { status: 503, database: "ok" })
    t.not(stolen.signer, "ok")
  })

  t.test("the API accepts no signer of another authority, and none under another name", async (t) => {
    // test/e2e/certificates.test.ts has another authority in the short form too.
    if (isLong) {
      const stranger = join(directory, "stranger")
      mkdirSync(stranger)
      execFileSync("bash", ["-euc", blockWith("openssl req -x509")], { cwd: stranger, stdio: "ignore" })
      const other = await readiness({ COUNTERSIGN_SIGNER_CA_FILE: join(stranger, "ca.crt") })
      t.match(other, { status: 503, database: "ok" })
      t.not(other.signer, "ok")
    }
    const renamed = await readiness({
      COUNTERSIGN_SIGNER_ADDRESS: `fetcher.internal:${port}`,
      TEST_HOSTS: `fetcher.internal=${SIGNER_ADDRESS}`,
    })
    t.match(renamed, { status: 503, database: "ok" })
    t.not(renamed.signer, "ok")
  })
})
