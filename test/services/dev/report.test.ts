import t from "tap"
import { report, type StartReport } from "../../../services/dev/report.ts"
import { readSettings } from "../../../services/terminal-client/settings.ts"

const settings = readSettings({ COUNTERSIGN_DATA_DIR: "/data dir" })
const started: StartReport = {
  url: "http://localhost:8080",
  authProxyUrl: "http://localhost:8081",
  workerUrl: "http://localhost:8083",
  database: "embedded PostgreSQL",
  signerPublicKey: `04${"ab".repeat(64)}`,
  fetcherPublicKey: `04${"cd".repeat(64)}`,
  seeded: { organizationId: "o", userId: "u", users: ["root", "bob"], walletId: "w", address: "0x1" },
  written: [],
  settings,
  seconds: 1.94,
  sends: true,
}
t.test("says loudly that messages are not sent", async (t) => {
  const line = (sends: boolean) => report({ ...started, sends }).find((one) => one.startsWith("Messages"))
  t.match(line(false), /^Messages   NONE IS SENT .* npx countersign dev inbox$/)
  t.equal(line(true), undefined)
})

const last = (change: Partial<StartReport>) => report({ ...started, ...change }).at(-1)

t.test("the report lists the written files and no others", async (t) => {
  const { envFile, keysFolder } = settings
  t.equal(
    last({ written: [envFile, keysFolder] }),
    "Ready in 1.9 s. Wrote /data dir/.env.local, /data dir/keys (mode 0600)",
  )
  t.equal(last({ written: [envFile] }), "Ready in 1.9 s. Wrote /data dir/.env.local (mode 0600)")
  t.equal(last({}), "Ready in 1.9 s. Values in /data dir/.env.local, keys in /data dir/keys")
  t.equal(last({ seeded: undefined }), "Ready in 1.9 s. Data in /data dir")
})

t.test("the report's next command uses the same data directory", async (t) => {
  const next = report(started).find((line) => line.startsWith("Next: "))
  t.equal(next, "Next: COUNTERSIGN_DATA_DIR='/data dir' npm run example:sign")
})

t.test("the report names the configuration of the auth proxy, where there is one", async (t) => {
  const line = (change: Partial<StartReport>) =>
    report({ ...started, ...change }).find((one) => one.startsWith("Auth proxy"))
  t.equal(line({}), "Auth proxy http://localhost:8081")
  t.equal(line({ configId: "c-1" }), "Auth proxy http://localhost:8081   config c-1")
})

t.test("the report leads to the documentation", async (t) => {
  const line = report(started).find((one) => one.startsWith("Docs"))
  t.equal(line, "Docs       http://localhost:8080/docs")
})
