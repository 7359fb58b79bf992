// Connections that the programs open, beside docs/OPERATIONS.md. Every other file of the hosts opens none.
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import { ROOT, textOf } from "../docs/markdown.ts"

/** Files of the hosts' processes that open connections, with the words of the page for the other end; "": of the same host. */
const OUTGOING: Readonly<Record<string, string>> = {
  "proto/grpc-client.ts": "signer and fetcher",
  "services/api/signer/peer-tls.ts": "signer and fetcher",
  "services/api/signer/witness.ts": "`COUNTERSIGN_API_WITNESSES`",
  "services/auth-proxy/core-api.ts": "`COUNTERSIGN_AUTH_PROXY_API_URL`",
  "services/auth-proxy/sealed-key.ts": "",
  "services/auth-proxy/turnstile.ts": "Turnstile",
  "services/chains/json-rpc.ts": "`COUNTERSIGN_CHAINS`",
  "services/common/tracing/exporter.ts": "[traces](#traces)",
  "services/database/database.ts": "`DATABASE_URL`",
  "services/database/jobs.ts": "`DATABASE_URL`",
  "services/node/doctor.ts": "",
  "services/worker/webhooks/post.ts": "endpoints of webhooks",
  "signer/fetcher/delivery/smtp.ts": "`COUNTERSIGN_FETCHER_SMTP_URL`",
  "signer/fetcher/doctor.ts": "",
  "signer/fetcher/http-request.ts": "issuers of ID tokens",
  "signer/operator/audit-send/deliver.ts": "receiver of the audit stream",
  "signer/process/confinement.ts": "",
  "signer/process/socket-client.ts": "",
  "signer/process/transport.ts": "",
  "signer/witness/doctor.ts": "",
}

/** Calls of Node and of packages that open a connection. */
const OPENS =
  /(?<![.\w]|async )fetch\((?!order\b|\{)|= fetch\b|(?<![.\w#])connect\(|\bhttps?\.request\(|\bcreateTransport\(|\bnew Client\(|\bpostgres\((?!\?)|\bnew PgBoss\(/

/** Programs of a person's machine, and pages: they ask what their user names. */
const OF_PEOPLE = [
  "services/cli",
  "services/dashboard",
  "services/dev",
  "services/terminal-client",
  "signer/operator/holders",
]

const codeOf = (text: string) => text.replace(/^\s*(?:\*|\/\/|\/\*).*$/gm, "")

t.test(
  "C-1666: processes of the hosts open the connections that the page lists, and no others",
  async (t) => {
    const files = globSync(["services/**/*.ts", "signer/**/*.ts", "proto/*.ts"], { cwd: ROOT })
      .filter((file) => !file.includes("/gen/") && !OF_PEOPLE.some((folder) => file.startsWith(`${folder}/`)))
      .filter((file) => OPENS.test(codeOf(readFileSync(join(ROOT, file), "utf8"))))
    t.same(files.toSorted(), Object.keys(OUTGOING).toSorted())
    const [, section = ""] = /^## Outgoing connections\n([^]*?)^## /m.exec(textOf("docs/OPERATIONS.md")) ?? []
    for (const [file, end] of Object.entries(OUTGOING))
      if (end !== "") t.ok(section.includes(end), `${file}: ${end}`)
  },
)

t.test("a call that opens a connection is found", async (t) => {
  for (const code of [
    "await fetch(url)",
    "post = fetch,",
    "const socket = connect(path)",
    "https.request(url)",
  ])
    t.match(codeOf(code), OPENS)
  for (const code of [
    "// it may fetch(url)",
    "async fetch(order) {",
    "fetcher.fetch(order)",
    "tls.connect(x)",
    "this.#connect()",
  ])
    t.notMatch(codeOf(code), OPENS, code)
})
