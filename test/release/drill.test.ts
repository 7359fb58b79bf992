// The drill: from two empty machines to the first signature of a deployment in production with sealed seeds, a backup, and its
// restoration onto another empty machine. docs/ASSURANCE.md has the times.
import { readdirSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import { buildRelease } from "../../scripts/release/build.ts"
import { ROOT } from "../docs/markdown.ts"
import { AS, backUp, follow, setAll, startHosts } from "../harness/guide.ts"
import { isLong } from "../harness/long.ts"
import { Machine, withoutMachines } from "../harness/machine.ts"
import { patienceMs } from "../harness/patience.ts"
import { hasProgram, newCheckout, temporaryFolder } from "../harness/release.ts"
import { SheetHolders } from "../harness/sheet-holders.ts"

const CLIENT = join(ROOT, "services/cli/main.ts")
const missing = ["psql", "nginx", "script"].find((name) => !hasProgram(name, "-V"))
const skip = isLong
  ? withoutMachines() || (missing === undefined ? false : `not run: no ${missing}`)
  : "long form: npm run test:long -- test/release"

type Printed = { publicKey?: string; signature?: string; walletId?: string }

t.setTimeout(patienceMs(900_000))

t.test("the drill from empty machines", { skip }, async (t) => {
  const folder = temporaryFolder(t, "drill")
  const out = join(folder, "out")
  const zones = ["signer", "fetcher", "api", "worker", "auth-proxy"]
  buildRelease({ root: newCheckout(join(folder, "checkout")), out, zones, images: false })
  const version = /^countersign-(.*)-signer-.*\.tar\.gz$/m.exec(readdirSync(out).join("\n"))?.[1] ?? ""
  const hosts = await startHosts(t, out, version)
  const run = `COUNTERSIGN_DATA_DIR=/root NODE_EXTRA_CA_CERTS=/etc/ssl/wallet.example.crt ${process.execPath} ${CLIENT}`
  const client = async (words: string) =>
    JSON.parse(await hosts.api.must(`${run} ${words} --api https://wallet.example --json`)) as Printed
  const times: [step: string, ms: number][] = []
  const timed = async <T>(step: string, work: () => Promise<T>): Promise<T> => {
    const startMs = Date.now()
    const result = await work()
    times.push([step, Date.now() - startMs])
    return result
  }
  const holders = new SheetHolders()

  await t.test("sealed seeds of three processes, production, and the first signature", async (t) => {
    const { publicKey = "" } = await client("key generate root")
    setAll(hosts, { PUBLIC_KEY: publicKey })
    const { printed, times: sections } = await follow(hosts, holders)
    times.push(...sections)
    const [, code = ""] = [...printed].find(([text]) => text.includes("setup-code")) ?? []
    await timed("Organization, wallet and first signature", async () => {
      await client(`org create Acme --setup-code ${code} --user-name root --api-public-key ${publicKey}`)
      await client("wallet create First --account ethereum")
      const { signature } = await client('sign message "pay the supplier" --with First')
      t.match(signature, /^0x[0-9a-f]{130}$/)
    })
    const status = await hosts.signer.must(
      `${AS}as signer /opt/countersign-signer/countersign-signer status --json`,
    )
    t.match(JSON.parse(status), { phase: "READY" })
    // No file of the host has what an intruder would use: each seed is sealed.
    for (const [host, file] of [
      [hosts.signer, "/var/lib/countersign-signer/signer/root-seed"],
      [hosts.signer, "/var/lib/countersign-fetcher/fetcher/seed"],
      [hosts.api, "/var/lib/countersign-auth-proxy/auth-proxy/key"],
    ] as const)
      t.match(await host.must(`head -c 20 ${file} | tr -cd '[:print:]'`), /countersign/i, file)
  })

  await t.test("a backup of the serving deployment is restored onto an empty machine", async (t) => {
    const key = await hosts.signer.must(
      `${AS}as signer /opt/countersign-signer/countersign-signer backup key --out /tmp/holder.pem`,
    )
    for (const [host, name] of [
      [hosts.api, "api"],
      [hosts.signer, "signer"],
    ] as const)
      await host.write(`/var/lib/countersign-${name}/holders.txt`, `${key}\n`, 0o644)
    const before = await hosts.signer.must(
      `${AS}as signer /opt/countersign-signer/countersign-signer ledger show --json`,
    )
    await timed("Backup", () =>
      backUp(hosts, async () => {
        await hosts.api.must("cp /var/lib/countersign-api/database.part /srv/")
        await hosts.signer.must(
          "install -o countersign-signer /srv/database.part /var/lib/countersign-signer/database.part",
        )
      }),
    )
    await hosts.signer.must(
      "cp /var/lib/countersign-signer/countersign.backup /var/lib/countersign-signer/pins.json /tmp/holder.pem /srv/",
    )
    await hosts.signer.must("systemctl stop countersign-signer")

    const empty = await Machine.start(t, out)
    empty.set({ VERSION: version })
    await timed("Restoration", async () => {
      await empty.must(`
        tar xf "countersign-$VERSION-signer-linux-x64.tar.gz" --directory /opt
        ln -sfn "countersign-$VERSION-signer-linux-x64" /opt/countersign-signer
        /opt/countersign-signer/countersign-signer install
        echo COUNTERSIGN_PRODUCTION=true >> /etc/countersign/signer.env
        install -m 0644 /srv/countersign.backup /srv/pins.json /tmp/ && install -o countersign-signer -m 0600 /srv/holder.pem /tmp/
        ${AS}
        as signer /opt/countersign-signer/countersign-signer backup restore /tmp/countersign.backup --key /tmp/holder.pem --pins /tmp/pins.json --latest
        systemctl daemon-reload
        systemctl start countersign-signer`)
      const unlock = `${AS}as signer /opt/countersign-signer/countersign-signer unlock --wait 60`
      const { status } = await empty.atTerminal(unlock, holders.atUnlocking("signer", [1, 4, 5]))
      t.equal(status, 0, "sheets 1, 4 and 5 open it")
      const words = "as signer /opt/countersign-signer/countersign-signer status --json | grep READY"
      await empty.until(`${AS}${words}`)
    })
    const after = await empty.must(
      `${AS}as signer /opt/countersign-signer/countersign-signer ledger show --json`,
    )
    t.strictSame(JSON.parse(after), JSON.parse(before), "lanes, sequences and epochs are those of before")

    const rows = (database: string) =>
      hosts.api.must(
        `runuser -u postgres -- psql --tuples-only --command 'select count(*), max(id::text) from activities' ${database}`,
      )
    await hosts.api.must(
      `runuser -u postgres -- psql --quiet --command "CREATE DATABASE restored OWNER countersign"
      install -o countersign-api -m 0600 /srv/holder.pem /tmp/ && install -m 0644 /srv/countersign.backup /srv/pins.json /tmp/`,
    )
    await timed("Restoration of the database", () =>
      hosts.api.must(`${AS}as api env DATABASE_URL="postgres://countersign:$PASSWORD@localhost/restored" \
        /opt/countersign-api/countersign-node backup database restore /tmp/countersign.backup --key /tmp/holder.pem --pins /tmp/pins.json`),
    )
    t.equal(await rows("restored"), await rows("countersign"))
  })

  for (const [step, ms] of times) t.comment(`${step}: ${(ms / 1000).toFixed(1)} s`)
})
