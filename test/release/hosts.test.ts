// Two hosts, set up by docs/self-hosting.md alone, from archives of a release. Units are started by systemd, as it says.
import { cpSync, readdirSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import { buildDashboard } from "../../services/dev/build-dashboard.ts"
import { ROOT } from "../docs/markdown.ts"
import {
  AS,
  commandsUnder,
  follow,
  startPostgresql,
  type Hosts,
  setAll,
  startHosts,
} from "../harness/guide.ts"
import { Machine, withoutMachines } from "../harness/machine.ts"
import { isLong } from "../harness/long.ts"
import { patienceMs } from "../harness/patience.ts"
import { buildSigned, hasProgram, newCheckout, temporaryFolder } from "../harness/release.ts"

const CLIENT = join(ROOT, "services/cli/main.ts")
const PROGRAMS = ["psql", "nginx", "script"]
const ZONES = ["signer", "fetcher", "api", "worker", "auth-proxy", "dashboard", "witness"]

/** What an intruder tries, and units whose process has to reach other hosts. */
const ATTEMPTS = ["connect", "write", "spawn", "ptrace", "environ", "inspector"]
const CONNECTING = ["fetcher", "api", "worker", "witness", "audit-sender"]

/** Units that the archives install. */
const UNITS = [...ZONES, "audit-sender"]

/** A receiver of the audit stream, which appends what it is sent to a file. */
const RECEIVER = `require("node:http").createServer((request, reply) => {
  request.pipe(require("node:fs").createWriteStream("/run/received.jsonl", { flags: "a" })).on("finish", () => reply.end())
}).listen(9999, "127.0.0.1")`

type Printed = { publicKey?: string; signature?: string }
type Checks = { checks: { name: string; state: string; sentence: string }[] }

const missing = PROGRAMS.find((name) => !hasProgram(name, "-V"))
const skip = isLong
  ? withoutMachines() || (missing === undefined ? false : `not run: no ${missing}`)
  : "long form: npm run test:long -- test/release"

t.setTimeout(patienceMs(900_000))

const archives = skip === false ? await buildArchives(temporaryFolder(t, "hosts")) : ""
const version =
  /^countersign-(.*)-signer-.*\.tar\.gz$/m.exec(archives && readdirSync(archives).join("\n"))?.[1] ?? ""

t.test(
  "W88: on one host the units serve over socket files, and the signer has no network",
  { skip },
  async (t) => {
    const host = await Machine.start(t, archives)
    host.set({ VERSION: version })
    await host.must("ip link set lo up")
    await startPostgresql(host)
    await host.must(`${commandsUnder("Programs, users and folders")}
    ${commandsUnder("Signer without a network")}
    ${AS}
    as signer /opt/countersign-signer/countersign-signer init
    as fetcher /opt/countersign-fetcher/countersign-fetcher init
    runuser -u postgres -- psql --command "CREATE ROLE countersign LOGIN PASSWORD 'p'" --command "CREATE DATABASE countersign OWNER countersign"
    echo DATABASE_URL=postgres://countersign:p@localhost/countersign >> /etc/countersign/api.env
    systemctl daemon-reload
    systemctl start countersign-signer countersign-fetcher countersign-api`)
    await host.until("curl --fail --silent http://localhost:8080/readyz")
    const { checks } = await fromInside(host, "signer", version)
    t.strictSame(
      checks.filter(({ state }) => state !== "ok"),
      [],
    )
    const namespace = (unit: string) =>
      host.must(`readlink /proc/$(systemctl show --property=MainPID --value ${unit})/ns/net`)
    t.not(await namespace("countersign-signer"), await namespace("countersign-api"))
    const { status } = await host.run(
      "runuser -u nobody -- bash -c 'exec 3<>/dev/tcp/localhost/7443 || curl --silent --unix-socket /run/countersign-signer/signer.sock http://x/'",
    )
    t.not(status, 0, "another user of the host does not reach it")
  },
)

t.test("two hosts", { skip }, async (t) => {
  const hosts = await startHosts(t, archives, version)
  const run = `COUNTERSIGN_DATA_DIR=/root NODE_EXTRA_CA_CERTS=/etc/ssl/wallet.example.crt ${process.execPath} ${CLIENT}`
  const client = async (words: string) =>
    JSON.parse(await hosts.api.must(`${run} ${words} --json`)) as Printed

  await t.test("the page's commands and settings make them, and a wallet signs", async (t) => {
    const { publicKey = "" } = await client("key generate root")
    setAll(hosts, { PUBLIC_KEY: publicKey })
    const { withoutHost, printed } = await follow(hosts)
    t.strictSame(withoutHost, [], "each block of commands names its host")
    const [, code = ""] = [...printed].find(([text]) => text.includes("setup-code")) ?? []
    const at = "--api https://wallet.example"
    await client(`org create Acme --setup-code ${code} --user-name root --api-public-key ${publicKey} ${at}`)
    await client(`wallet create First --account ethereum ${at}`)
    const { signature } = await client(`sign message "pay the supplier" --with First ${at}`)
    t.match(signature, /^0x[0-9a-f]{130}$/)
  })

  await t.test(
    "C-1793: the sender of the audit stream is installed, and delivers every record",
    async (t) => {
      const { signer } = hosts
      const sending = commandsUnder("Audit stream", "docs/OPERATIONS.md").split("# On the signer's host")
      await signer.write("/run/receiver.cjs", RECEIVER, 0o644)
      await signer.must(
        `systemd-run --quiet --unit=receiver /opt/countersign-signer/bin/node /run/receiver.cjs`,
      )
      signer.set({ RECEIVER: "http://localhost:9999/audit" })
      await signer.must(sending.slice(1).join("\n"))
      const doctor = `${AS}\nas signer /opt/countersign-signer/countersign-signer doctor`
      t.match(
        await signer.until(doctor),
        /ok +audit stream: \d+ records .* of \/var\/lib\/countersign-audit\n/,
      )
      await signer.until('grep -q \'"phase":"READY"\' /run/received.jsonl')
      t.match(
        await signer.must(
          `/opt/countersign-signer/countersign-signer audit verify /run/received.jsonl --json`,
        ),
        /"verified":true/,
      )
      t.match(
        await signer.must("stat --format '%a %U %G' /var/lib/countersign-audit/audit-*.jsonl | sort -u"),
        "640 countersign-signer countersign-audit-sender",
      )
      const { status } = await signer.run(
        "runuser -u countersign-audit-sender -- sh -c 'cat /var/lib/countersign-signer/signer/root-seed || echo x >> /var/lib/countersign-audit/audit-00000001.jsonl'",
      )
      t.not(status, 0, "the sender reads no seed and writes no record")
    },
  )

  await t.test("C-1800, W142: each unit refuses what an intruder in its process tries", async (t) => {
    await startOthers(hosts)
    for (const zone of UNITS) {
      const host = ["signer", "fetcher", "audit-sender"].includes(zone) ? hosts.signer : hosts.api
      const { checks } = await fromInside(host, zone, version)
      const states = checks.map(({ name, state }) => [name.replace("confinement: ", ""), state])
      const isNeeded = (attempt: string) => attempt === "connect" && CONNECTING.includes(zone)
      t.strictSame(
        states,
        ATTEMPTS.map((attempt) => [attempt, isNeeded(attempt) ? "FAULT" : "ok"]),
        `${zone}: ${checks
          .filter(({ state }) => state !== "ok")
          .map(({ sentence }) => sentence)
          .join("; ")}`,
      )
      const state = await host.must(`systemctl show --property=SubState,NRestarts countersign-${zone}`)
      t.equal(state, "NRestarts=0\nSubState=running", zone)
    }
  })

  await t.test("W142: a unit with a hole in it is found out", async (t) => {
    for (const [hole, attempt] of [
      ["NoExecPaths=", "spawn"],
      ["IPAddressDeny=", "connect"],
    ] as const) {
      const { checks } = await fromInside(hosts.signer, "signer", version, hole)
      const found = checks.filter(({ state }) => state === "FAULT").map(({ name }) => name)
      t.strictSame(found, [`confinement: ${attempt}`], hole)
    }
  })
})

async function buildArchives(folder: string): Promise<string> {
  const checkout = newCheckout(join(folder, "checkout"))
  cpSync(await buildDashboard(), join(checkout, "services", "dashboard", "dist"), { recursive: true })
  const out = join(folder, "out")
  buildSigned(checkout, out, ZONES)
  return out
}

/** Processes that the page does not set up. */
async function startOthers({ api }: Hosts): Promise<void> {
  await api.must(`
    for name in dashboard witness; do
      tar xf "countersign-$VERSION-$name-linux-x64.tar.gz" --directory /opt
      ln -sfn "countersign-$VERSION-$name-linux-x64" "/opt/countersign-$name"
    done
    /opt/countersign-dashboard/countersign-node install dashboard
    /opt/countersign-witness/countersign-witness install
    echo COUNTERSIGN_WITNESS_NAME=witness.example/1 >> /etc/countersign/witness.env
    ${AS}
    as witness /opt/countersign-witness/countersign-witness init
    curl --silent --fail http://localhost:8080/public/v1/log | sed 's/.*"key":"\\([^"]*\\)".*/\\1/' > /var/lib/countersign-witness/witness/logs
    systemctl daemon-reload
    systemctl enable --now countersign-dashboard countersign-witness`)
  await api.until(
    "curl --silent --fail http://localhost:8082/livez && curl --silent --output /dev/null http://localhost:7380/",
  )
}

/** The signer's doctor in the confinement of a unit, to which `hole` is added. */
async function fromInside(host: Machine, zone: string, version: string, hole = ""): Promise<Checks> {
  const doctor = `/opt/countersign-${version}-signer-linux-x64/signer/operator/main.ts doctor --confinement --json`
  const unit = `/etc/systemd/system/countersign-${zone}`
  await host.must(`
    [ -d "/opt/countersign-$VERSION-signer-linux-x64" ] || tar xf "countersign-$VERSION-signer-linux-x64.tar.gz" --directory /opt
    sed -e '/^ExecStartPre=/d' -e '/^Restart=/d' -e '/^RestartPrevent/d' \\
      -e 's#^ExecStart=\\([^ ]*\\) .*#Type=oneshot\\nSuccessExitStatus=1\\nExecStart=\\1 --disable-sigusr1 ${doctor}#' \\
      -e 's#^\\[Install\\]#${hole}\\n[Install]#' ${unit}.service > ${unit}-inside.service
    rm -rf ${unit}-inside.service.d && if [ -d ${unit}.service.d ]; then cp -r ${unit}.service.d ${unit}-inside.service.d; fi
    systemctl daemon-reload
    systemctl start countersign-${zone}-inside`)
  return JSON.parse(
    await host.must(
      `journalctl --unit=countersign-${zone}-inside --output=cat --no-pager | grep '^{.*checks' | tail -n 1`,
    ),
  ) as Checks
}
