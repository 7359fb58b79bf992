// The drill: from two empty machines to the first signature of a deployment in production with sealed seeds, a backup, and its
// restoration onto another empty machine. docs/ASSURANCE.md has the times.
import { readdirSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import { blocksOf, ROOT } from "../docs/markdown.ts"
import { AS, ADDRESSES, backUp, follow, goOn, setAll, startHosts } from "../harness/guide.ts"
import { isLong } from "../harness/long.ts"
import { Machine, withoutMachines } from "../harness/machine.ts"
import { patienceMs } from "../harness/patience.ts"
import { buildSigned, hasProgram, newCheckout, temporaryFolder } from "../harness/release.ts"
import { SheetHolders } from "../harness/sheet-holders.ts"

const CLIENT = join(ROOT, "services/cli/main.ts")
const missing = ["psql", "nginx", "script"].find((name) => !hasProgram(name, "-V"))
const skip = isLong
  ? withoutMachines() || (missing === undefined ? false : `not run: no ${missing}`)
  : "long form: npm run test:long -- test/release"

/** Folder of a machine for files that an operator carries. */
const CARRIED = "/run/carried"
const MAKE_CARRIED = `install -d -m 1777 ${CARRIED}`

type Printed = { publicKey?: string; signature?: string; walletId?: string }

t.setTimeout(patienceMs(900_000))

t.test("the drill from empty machines", { skip }, async (t) => {
  const ofDrill = t
  const folder = temporaryFolder(t, "drill")
  const out = join(folder, "out")
  const zones = ["signer", "fetcher", "api", "worker", "auth-proxy"]
  buildSigned(newCheckout(join(folder, "checkout")), out, zones)
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
  let replacement: Machine | undefined

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
      `${MAKE_CARRIED}\n${AS}as signer /opt/countersign-signer/countersign-signer backup key --out ${CARRIED}/holder.pem`,
    )
    for (const host of [hosts.signer, hosts.api])
      await host.write("/etc/countersign/holders.txt", `${key}\n`, 0o644)
    const before = await hosts.signer.must(
      `${AS}as signer /opt/countersign-signer/countersign-signer ledger show --json`,
    )
    await timed("Backup", () =>
      backUp(hosts, async () => {
        await hosts.api.must("mv /var/backups/countersign/*.parts /srv/")
        await hosts.signer.must("mv /srv/*.parts /var/backups/countersign-parts/")
      }),
    )
    await hosts.signer.must(
      `cp /var/backups/countersign/*.backup /srv/countersign.backup && cp /var/backups/countersign/pins.json ${CARRIED}/holder.pem /srv/`,
    )
    // The timer of docs/OPERATIONS.md makes one too. Nothing is decided after it, as before a move to another host.
    await hosts.api.must("systemctl stop countersign-api countersign-worker")
    await installUnits(hosts.signer, "countersign-backup.timer")
    await hosts.signer.must("systemctl start countersign-backup.timer countersign-backup.service")
    t.match(await hosts.signer.must("ls /var/backups/countersign"), /^(?:\d{8}T\d{6}Z\.backup\s+){2}/m)
    await hosts.signer.must(`cp "$(ls /var/backups/countersign/*.backup | tail -n 1)" /srv/newest.backup`)
    await hosts.signer.must("systemctl stop countersign-signer")

    const empty = await Machine.start(ofDrill, out)
    replacement = empty
    empty.set({ VERSION: version })
    await timed("Restoration", async () => {
      await empty.must(`
        for name in signer fetcher auth-proxy; do
          tar xf "countersign-$VERSION-$name-linux-x64.tar.gz" --directory /opt
          ln -sfn "countersign-$VERSION-$name-linux-x64" "/opt/countersign-$name"
        done
        /opt/countersign-signer/countersign-signer install
        /opt/countersign-fetcher/countersign-fetcher install
        /opt/countersign-auth-proxy/countersign-node install proxy
        echo COUNTERSIGN_PRODUCTION=true >> /etc/countersign/signer.env
        ${AS}
        ${MAKE_CARRIED}
        restore() {
          install -m 0644 "/srv/$3" /srv/pins.json ${CARRIED}/
          install -o "countersign-$1" -m 0600 /srv/holder.pem "${CARRIED}/$1.pem"
          as "$1" "\${@:4}" restore "${CARRIED}/$3" --key "${CARRIED}/$1.pem" --pins ${CARRIED}/pins.json $2
        }
        restore fetcher "" countersign.backup /opt/countersign-fetcher/countersign-fetcher backup
        restore auth-proxy "" countersign.backup /opt/countersign-auth-proxy/countersign-node backup proxy
        restore signer --latest newest.backup /opt/countersign-signer/countersign-signer backup
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

    for (const [host, file] of [
      [hosts.signer, "/var/lib/countersign-fetcher/fetcher/seed"],
      [hosts.api, "/var/lib/countersign-auth-proxy/auth-proxy/key"],
    ] as const)
      t.equal(await empty.must(`sha256sum ${file}`), await host.must(`sha256sum ${file}`))

    const rows = (database: string) =>
      hosts.api.must(
        `runuser -u postgres -- psql --tuples-only --command 'select count(*), max(id::text) from activities' ${database}`,
      )
    await hosts.api.must(
      `runuser -u postgres -- psql --quiet --command "CREATE DATABASE restored OWNER countersign"
      ${MAKE_CARRIED}
      install -o countersign-api -m 0600 /srv/holder.pem ${CARRIED}/ && install -m 0644 /srv/countersign.backup /srv/pins.json ${CARRIED}/`,
    )
    await timed("Restoration of the database", () =>
      hosts.api.must(`${AS}as api env DATABASE_URL="postgres://countersign:$PASSWORD@localhost/restored" \
        /opt/countersign-api/countersign-node backup database restore ${CARRIED}/countersign.backup --key ${CARRIED}/holder.pem --pins ${CARRIED}/pins.json`),
    )
    t.equal(await rows("restored"), await rows("countersign"))
  })

  await t.test("a rehearsal as the timer starts it succeeds, and leaves no file", async (t) => {
    await installUnits(hosts.signer, "countersign-rehearsal.timer")
    await hosts.signer.must(`
      install -D -m 0644 /srv/newest.backup /srv/backups/newest.backup
      install -o countersign-signer -m 0600 /srv/holder.pem /etc/countersign/holder.pem
      install -m 0644 /srv/pins.json /etc/countersign/pins.json
      systemctl start countersign-rehearsal.timer
      systemctl is-active countersign-rehearsal.timer`)
    await timed("Rehearsal", () =>
      hosts.signer.must(
        "systemctl start countersign-rehearsal.service || { journalctl --unit countersign-rehearsal; exit 1; }",
      ),
    )
    t.equal(
      await hosts.signer.must(
        "systemctl show --property=Result --value countersign-rehearsal.service; find /var/lib/countersign-signer/rehearsal -type f",
      ),
      "success",
    )
  })

  await t.test("the restored host takes the place of the lost one, and signs", async (t) => {
    if (replacement === undefined) throw new Error("nothing was restored")
    const empty = replacement
    Machine.disconnect(hosts.signer)
    Machine.connect(empty, hosts.api, ADDRESSES)
    const restored = { signer: empty, api: hosts.api }
    await timed("Going on", () => goOn(restored, holders))
    const { signature } = await client('sign message "pay the next supplier" --with First')
    t.match(signature, /^0x[0-9a-f]{130}$/)
    for (const [host, expected] of [
      ["signer", { phase: "READY" }],
      ["fetcher", { unlocked: true }],
    ] as const) {
      const words = `as ${host} /opt/countersign-${host}/countersign-${host} status --json`
      t.match(JSON.parse(await empty.must(`${AS}${words}`)), expected, host)
    }
  })

  for (const [step, ms] of times) t.comment(`${step}: ${(ms / 1000).toFixed(1)} s`)
})

/** Writes the units of a block of docs/OPERATIONS.md, which names each file above its text. */
async function installUnits(host: Machine, name: string): Promise<void> {
  const block = blocksOf("docs/OPERATIONS.md").find(({ text }) => text.includes(`/system/${name}\n`))
  for (const [, path = "", text = ""] of (block?.text ?? "").matchAll(/^# (\/etc\S+)\n([^#]*)/gm))
    await host.write(path, text, 0o644)
  await host.must("systemctl daemon-reload")
}
