// The last commands of "First start" in docs/self-hosting.md, on a running system. The whole page runs in test/release.
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import t from "tap"
import { freePort } from "../harness/free-port.ts"
import { sharedProxiedSystem } from "../harness/shared-system.ts"
import { ROOT, textOf } from "./markdown.ts"

/** Commands of the section's blocks that look at a process or make the organization, which waits for the code of another host. */
function commandsOfSection(): string[] {
  const [, section = ""] = /^## First start$([^]*?)^## /m.exec(textOf("docs/self-hosting.md")) ?? []
  const lines = section
    .split("\n")
    .filter((line) => /^(?:as \w+ \S+ (?:doctor|setup-code)|countersign )/.test(line))
  const isLast = (line: string) => line.startsWith("countersign org create")
  return [...lines.filter((line) => !isLast(line)), ...lines.filter(isLast)]
}

/** Worker and auth proxy do not run in this test. */
const NOT_STARTED = /^DOWN +(?:auth proxy|worker): no answer .*\n/gm
const ALL_WELL = /^(?:ok .*\n){6}$/

t.test("the section's commands look at each process and make the first organization", async (t) => {
  const { system } = await sharedProxiedSystem()
  const folders = { host: system.directory, user: t.testdir() }
  const settings = {
    COUNTERSIGN_SIGNER_FETCHER_PUBLIC_KEY: system.fetcherPublicKey(),
    DATABASE_URL: system.databaseUrl,
    COUNTERSIGN_API_LISTEN: new URL(system.url).host,
    // At the usual ports another system of this machine may answer.
    COUNTERSIGN_AUTH_PROXY_LISTEN: `localhost:${await freePort()}`,
    COUNTERSIGN_WORKER_LISTEN: `localhost:${await freePort()}`,
  }
  const values = new Map([["https://wallet.example", system.url]])
  const ran: string[] = []
  for (const command of commandsOfSection()) {
    const words = Array.from(values)
      .reduce((text, [name, value]) => text.replaceAll(name, value), command)
      // The programs of a checkout are on PATH.
      .replaceAll(/\/opt\/countersign-[a-z-]+\//g, "")
    const isOfHost = command.startsWith("as ")
    const { status, stdout, stderr } = spawnSync(
      "bash",
      ["--norc", "-euc", `as() { shift; "$@"; }\n${words}`],
      {
        cwd: ROOT,
        encoding: "utf8",
        env: {
          PATH: `${join(ROOT, "node_modules/.bin")}:${process.env["PATH"]}`,
          COUNTERSIGN_DATA_DIR: isOfHost ? folders.host : folders.user,
          ...(isOfHost && settings),
        },
      },
    )
    ran.push(
      command
        .split(" ")
        .slice(0, isOfHost ? 4 : 3)
        .join(" "),
    )
    const shown = `${words}
${stderr}
${stdout}`
    if (command.endsWith("countersign-node doctor"))
      t.match(stdout.replaceAll(NOT_STARTED, ""), ALL_WELL, shown)
    else t.equal(status, 0, shown)
    if (command.includes("key generate"))
      for (const name of ["$PUBLIC_KEY", "PUBLIC_KEY"])
        values.set(name, /0[23][0-9a-f]{64}/.exec(stdout)?.[0] ?? "")
    if (command.includes("setup-code")) values.set("CODE", stdout.trim().split("\n").at(-1) ?? "")
  }
  t.match(ran, [
    "as signer /opt/countersign-signer/countersign-signer doctor",
    "as fetcher /opt/countersign-fetcher/countersign-fetcher doctor",
    "as api /opt/countersign-api/countersign-node doctor",
    "countersign key generate",
    "as signer /opt/countersign-signer/countersign-signer setup-code",
    "countersign org create",
  ])
})
