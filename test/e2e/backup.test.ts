// Backups of running systems: made while they sign, verified, restored onto empty hosts.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { credentials, type ServiceError } from "@grpc/grpc-js"
import t, { type Test } from "tap"
import { OperatorService } from "../../proto/gen/countersign/signer/v1/operator_pb.ts"
import { clientFor } from "../../proto/grpc-client.ts"
import { ethereumAccount } from "../harness/api-client.ts"
import {
  beginOn,
  emptyHost,
  holderFolder,
  serveSigner,
  signerCommand,
  sharedSystemToBackUp,
} from "../harness/backups.ts"
import { recordsIn } from "../harness/audited.ts"
import { freshDatabase } from "../harness/database.ts"
import { patienceMs } from "../harness/patience.ts"
import { type CreatedOrganization, type Json, System } from "../harness/system.ts"

const resultOf = (activity: Json) => Object.values(activity["result"] as Json)[0] as Json

async function createWallet(
  system: System,
  { organizationId, root }: CreatedOrganization,
  walletName = "Kept",
): Promise<string> {
  const parameters = { walletName, accounts: [ethereumAccount(0)] }
  const body = system.body("CREATE_WALLET", organizationId, parameters)
  return (resultOf(await system.submit("create_wallet", body, root))["addresses"] as string[])[0]!
}

/** r and s, which are those of key and payload. */
async function sign(system: System, { organizationId, root }: CreatedOrganization, signWith: string) {
  const parameters = {
    signWith,
    payload: "ab".repeat(32),
    encoding: "PAYLOAD_ENCODING_HEXADECIMAL",
    hashFunction: "HASH_FUNCTION_NO_OP",
  }
  const body = system.body("SIGN_RAW_PAYLOAD_V2", organizationId, parameters)
  const { r, s } = resultOf(await system.submit("sign_raw_payload", body, root))
  return { r, s }
}

async function restoredSystem(t: Test, directory: string): Promise<System> {
  const { url } = await freshDatabase(t)
  const host = { directory, environment: {}, options: [] }
  const system = await System.startOn(url, { signer: host, api: host })
  t.teardown(() => system.stop())
  return system
}

const { system, directory } = await sharedSystemToBackUp()

t.test(
  "C-1750: a backup made while the signer serves restores onto an empty host without its initialisation",
  async (t) => {
    const { at, key, holders } = holderFolder(t)
    const acme = await system.createOrganization()
    const address = await createWallet(system, acme)
    const signature = await sign(system, acme, address)
    writeFileSync(at("pins"), (await signerCommand(directory, "pins", "--json")).out)

    const backup = { isDone: false }
    const signing = (async () => {
      while (!backup.isDone) {
        await sign(system, acme, address)
        await pause(50)
      }
    })()
    const create = ["backup", "create", "--to", holders, "--json", "--out"]
    const made = await signerCommand(directory, ...create, at("backup"))
    backup.isDone = true
    await signing
    t.equal(made.status, 0, made.log)
    const { sequence } = JSON.parse(made.out) as { sequence: string }
    const archive = readFileSync(at("backup"))
    const seed = readFileSync(join(directory, "signer", "root-seed"))
    for (const canary of [seed, seed.toString("hex"), seed.toString("base64"), "SQLite format 3"])
      t.notOk(archive.includes(canary), "nothing of the seed and the ledger is readable")
    t.match(await signerCommand(directory, ...create, at("backup")), { status: 2, log: /exists already/ })

    const pins = ["--pins", at("pins")]
    t.match(await signerCommand(directory, "backup", "verify", at("backup"), ...pins), {
      status: 0,
      out: new RegExp(`whole, and signed\n.*, as given\n.* after ${sequence} transactions`),
    })
    const host = emptyHost(t)
    const restore = ["backup", "restore", at("backup"), "--key", key, ...pins]
    t.match(await signerCommand(host, ...restore, "--latest"), { status: 0, out: /goes on from transaction/ })
    t.match(await signerCommand(host, ...restore), {
      status: 3,
      log: /BACKUP_TARGET_USED: .*Nothing was changed/,
    })
    t.ok(readFileSync(join(host, "signer", "root-seed")).equals(seed))
    const restored = await restoredSystem(t, host)
    t.strictSame(await sign(restored, acme, address), signature, "the same key signs")
    t.not(await createWallet(restored, acme, "Later"), address, "changes go on")
    const { backupId } = JSON.parse(made.out) as Json
    t.match(
      recordsIn(join(host, "signer", "audit")).find(({ kind }) => kind === "command"),
      { command: "backup restore", outcome: "done-as-latest", subject: backupId },
      "W153: the restoration is a record of its stream",
    )
  },
)

t.test(
  "C-1751: a restored signer decides nothing until the operator has accepted what is lost",
  async (t) => {
    const { at, key, holders } = holderFolder(t)
    const acme = await system.createOrganization()
    const made = await signerCommand(
      system.directory,
      "backup",
      "create",
      "--to",
      holders,
      "--out",
      at("backup"),
    )
    t.equal(made.status, 0, made.log)
    await createWallet(system, acme)
    const host = emptyHost(t)
    const restored = await signerCommand(host, "backup", "restore", at("backup"), "--key", key)
    t.match(restored, { status: 0, out: /Lost: everything .* after transaction \d+, 20.*accept-ledger/s })
    t.match(restored.out, /compared with none: --pins/)

    serveSigner(t, host)
    const status = async () =>
      JSON.parse((await signerCommand(host, "status", "--json", "--wait", "60")).out) as Json
    t.match(await status(), { phase: "LEDGER_OLDER", explanation: /restored from backup [0-9a-f]{32} of 20/ })
    t.match(await signerCommand(host, "accept-ledger"), { status: 0, out: /nothing is decided until/ })
    t.match(await status(), { phase: "CLOCK_UNTRUSTED" }, "the replays of the lost time are waited for")
  },
)

t.test(
  "C-1759, W128: a rehearsal shows that the backup serves and signs, and leaves nothing, also when it is killed",
  async (t) => {
    const { at, key, holders } = holderFolder(t)
    const acme = await system.createOrganization()
    const made = await signerCommand(directory, "backup", "create", "--to", holders, "--out", at("backup"))
    t.equal(made.status, 0, made.log)
    const scratch = join(directory, "signer", "ledger.rehearsal-in-progress")
    const rehearse = ["backup", "rehearse", at("backup"), "--key", key]
    const killed = beginOn(t, directory, ["signer/operator/main.ts", ...rehearse])
    await until(() => existsSync(join(scratch, "ledger", "log", "checkpoint")))
    killed.kill("SIGKILL")
    t.ok(existsSync(join(scratch, "root-seed")), "a killed one leaves its folder")
    t.match(await signerCommand(directory, ...rehearse), {
      status: 0,
      out: /its signer signed a checkpoint of \d+ leaves\n.*Everything was removed again/s,
    })
    t.notOk(existsSync(scratch), "the next one removes it")
    const address = await createWallet(system, acme)
    t.ok(await sign(system, acme, address), "the running signer knows nothing of it")

    const other = emptyHost(t)
    mkdirSync(other, { recursive: true })
    writeFileSync(at("other.key"), "5ca1ab1f".repeat(8))
    const wrong = ["backup", "rehearse", at("backup"), "--key", at("other.key")]
    t.match(await signerCommand(other, ...wrong), { status: 3, log: /BACKUP_KEY_WRONG/ })
    t.notOk(existsSync(join(other, "signer", "ledger.rehearsal-in-progress")))
    t.match(await signerCommand(other, ...rehearse, "--latest"), { status: 2 })
  },
)

t.test("a second backup at one time is refused with a code of its own, and the first goes on", async (t) => {
  const { at, holders } = holderFolder(t)
  const first = clientFor(OperatorService, {
    address: `unix:${join(system.directory, "operator", "operator.sock")}`,
    credentials: credentials.createInsecure(),
    deadlineMs: patienceMs(30_000),
  })
  t.teardown(first.close)
  const backupId = "ab".repeat(16)
  await first.call.copyLedger({ backupId })
  const refused = first.call.copyLedger({ backupId: "cd".repeat(16) })
  const fault: unknown = await refused.catch((error: unknown) => error)
  const code = (fault as ServiceError).metadata.get("countersign-refusal")[0]
  t.equal(String(code), "BACKUP_BUSY")
  const create = ["backup", "create", "--to", holders, "--out", at("second")]
  t.match(await signerCommand(system.directory, ...create), {
    status: 3,
    log: /another backup is being made\. Wait for its end/,
  })
  t.ok(await first.call.copyLedger({ backupId }))
})

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 20))
}
