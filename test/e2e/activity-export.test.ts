// Exported activities, from a whole system to the command that verifies them.
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import { ActivityBatcher, readSnapshot } from "../../services/api/store/activities.ts"
import { activitiesOf } from "../../services/api/store/erasures.ts"
import { eraseOrganization } from "../../services/api/exports/erase-organization.ts"
import { ExportFolder } from "../../services/api/exports/export-files.ts"
import { prune } from "../../services/api/exports/prune.ts"
import { erasedLine } from "../../services/common/activity-export.ts"
import { ethereumAccount, signParams, userParams } from "../harness/api-client.ts"
import { freshDatabase } from "../harness/database.ts"
import { casesOf } from "../harness/long.ts"
import { newKey } from "../harness/stamper.ts"
import { subOrganization } from "../harness/sub-organization.ts"
import { runCommandLine } from "../harness/commands.ts"
import { type Json, System } from "../harness/system.ts"
import { sampleActivity } from "../services/api/store/sample.ts"
import { commandLine } from "../services/cli/command-line.ts"

const { url, sql } = await freshDatabase(t)
const system = await System.start(url)
t.teardown(() => system.stop())
const { organizationId, root } = await system.createOrganization()
const submit = async (path: string, type: string, parameters: object, key = root, more = {}) => {
  const body = { ...(JSON.parse(system.body(type, organizationId, parameters)) as object), ...more }
  const { json } = await system.post(`submit/${path}`, JSON.stringify(body), key)
  return json
}
const proven = { generateAppProofs: true }
const wallet = { walletName: "Exported", accounts: [ethereumAccount(0)] }
const created = await submit("create_wallet", "CREATE_WALLET", wallet, root, proven)
const { result } = created["activity"] as { result: { createWalletResult: { addresses: string[] } } }
const [address = ""] = result.createWalletResult.addresses
await submit("sign_raw_payload", "SIGN_RAW_PAYLOAD_V2", signParams(address))
await submit("sign_raw_payload", "SIGN_RAW_PAYLOAD_V2", signParams(address), root, proven)
const agent = newKey()
await submit("create_users", "CREATE_USERS_V3", { users: [userParams("agent", agent)] })
await submit("create_wallet", "CREATE_WALLET", { ...wallet, walletName: "Denied" }, agent, proven)

const directory = t.testdir()
const exportsIn = join(directory, "exports")
const pins = join(directory, "pins.json")
writeFileSync(pins, JSON.stringify((await system.send("/public/v1/pins", {})).json))
const run = () => prune({ sql, folder: new ExportFolder(exportsIn), beforeMs: Date.now() + 60_000 })
await run()
await submit("sign_raw_payload", "SIGN_RAW_PAYLOAD_V2", signParams(address))
await run()

const files = ["activities-000001.jsonl", "activities-000002.jsonl"].map((name) => join(exportsIn, name))
const [one = "", two = ""] = files
const whole = readFileSync(one, "utf8")
const verify = (...words: string[]) =>
  commandLine({ COUNTERSIGN_DATA_DIR: directory }, "verify", "export", ...words, "--pins", pins)
const reportOf = async (...words: string[]) => {
  const { status, out, log } = await verify(...words, "--json")
  return { status, log, report: JSON.parse(out.split("\n")[0] ?? "") as Json }
}

/** Runs a command line of a program on the system's host. */
async function runs(program: string, ...words: string[]) {
  const environment = {
    PATH: process.env["PATH"],
    DATABASE_URL: url,
    COUNTERSIGN_DATA_DIR: system.directory,
  }
  const { status, out, log } = await runCommandLine({ program, words, environment, input: "" })
  return { status, output: out + log }
}

t.test("stamps, app proofs and the chain of files are verified", async (t) => {
  const { status, report, log } = await reportOf(exportsIn)
  t.equal(status, 0, log)
  t.match(report, {
    verified: true,
    activities: 7,
    stamped: 7,
    proven: 3,
    erased: 0,
    unproven: 0,
    faults: [],
  })
  t.equal((report["files"] as Json[]).length, 2)
  const { out } = await verify(two)
  t.match(out, /files before 2 were not given/)
  t.match(out, /1 activity: 1 with the stamps of their votes, 0 of them with app proofs/)
})

t.test("a line of the file is an activity that verify proof takes", async (t) => {
  const lines = whole.split("\n")
  const line = lines.find((text) => text.includes("CREATE_WALLET") && text.includes("COMPLETED")) ?? ""
  const bootProof = lines.find((text) => text.startsWith('{"bootProof"')) ?? ""
  const [shown, boot] = [join(directory, "line.json"), join(directory, "boot.json")]
  writeFileSync(shown, line)
  writeFileSync(boot, bootProof)
  const words = ["verify", "proof", shown, "--boot-proof", boot, "--pins", pins]
  const { status, log } = await commandLine({ COUNTERSIGN_DATA_DIR: directory }, ...words)
  t.equal(status, 0, log)
})

t.test("every change of a file is noticed", async (t) => {
  const lines = whole.trimEnd().split("\n")
  const changed: { [what: string]: string[] } = {
    "a line is missing": lines.toSpliced(3, 1),
    "a line stands twice": lines.toSpliced(3, 0, lines[3] ?? ""),
    "the last line is missing": lines.slice(0, -1),
    "a line follows the end": [...lines, lines[3] ?? ""],
    "another payload": lines.map((line) => line.replace(/"payload":"[^"]*"/, '"payload":"00"')),
    "another user": lines.map((line) => line.replaceAll(/"userId":"[0-9a-f]{8}/g, '"userId":"00000000')),
    "another selection": lines.map((line) =>
      line.replace("VOTE_SELECTION_APPROVED", "VOTE_SELECTION_REJECTED"),
    ),
    "another result of a proven activity": lines.map((line) =>
      line.replaceAll(address, `0x${"00".repeat(20)}`),
    ),
    "a member twice": lines.map((line) => line.replace('{"activity":{', '{"activity":{},"activity":{')),
    "no JSON": lines.toSpliced(3, 1, "x"),
    "another number": lines.toSpliced(0, 1, (lines[0] ?? "").replace('"file":1', '"file":3')),
  }
  for (const [what, text] of casesOf(5, Object.entries(changed))) {
    writeFileSync(one, `${text.join("\n")}\n`)
    const { status, report } = await reportOf(exportsIn)
    t.equal(status, 6, what)
    t.match(report, { verified: false }, what)
  }
  // Times are covered by no stamp; the next file names the digest of this one.
  writeFileSync(one, whole.replaceAll(/"createdAt":"20/g, '"createdAt":"19'))
  t.match(await reportOf(exportsIn), {
    status: 6,
    report: { faults: [/names another digest of the file before it/] },
  })
  writeFileSync(one, whole)
  t.equal((await reportOf(exportsIn)).status, 0)
})

t.test("an erased line keeps the digest of its file", async (t) => {
  const lines = whole.trimEnd().split("\n")
  const at = lines.findIndex((line) => line.startsWith('{"activity"'))
  const erased = erasedLine(lines[at] ?? "")
  t.equal(erasedLine(erased), erased)
  writeFileSync(one, `${lines.toSpliced(at, 1, erased).join("\n")}\n`)
  t.match(await reportOf(exportsIn), { status: 0, report: { erased: 1, activities: 6 } })
  writeFileSync(one, `${lines.toSpliced(at, 1, erased.replace(/[0-9a-f]{8}"/, '00000000"')).join("\n")}\n`)
  t.match(await reportOf(exportsIn), { status: 6 })
  writeFileSync(one, whole)
})

t.test("files of another form, and no files, are faults of usage", async (t) => {
  const other = join(directory, "activities-000001.jsonl")
  writeFileSync(other, "{}\n")
  t.equal((await verify(other)).status, 2)
  t.equal((await verify(join(directory, "pins.json"))).status, 2)
})

t.test("countersign-node db prune: a dry run changes nothing, and the run continues the chain", async (t) => {
  const stored = async () => (await sql`select id from activities`).length
  const old = sampleActivity({
    id: "01900000-0000-7000-8000-0000000000ff",
    organizationId,
    status: "ACTIVITY_STATUS_COMPLETED",
    createdMs: 1_700_000_000_000,
    updatedMs: 1_700_000_000_000,
  })
  await new ActivityBatcher(sql).insert(old)
  const count = await stored()
  const prunes = (...words: string[]) => runs("services/node/main.ts", "db", "prune", ...words)
  const asked = ["--older-than", "1d", "--out", exportsIn]
  t.match(await prunes(...asked, "--dry-run"), {
    status: 0,
    output: /^1 activity, about 1 MiB of text, would be/,
  })
  t.equal(await stored(), count)
  t.match(await prunes(...asked), {
    status: 0,
    output: /1 activity exported in 1 file, 1 removed, 0 boot proofs/,
  })
  t.equal(await stored(), count - 1)
  const third = readFileSync(join(exportsIn, "activities-000003.jsonl"), "utf8")
  t.match(JSON.parse(third.split("\n")[0] ?? ""), { file: 3, previous: /^[0-9a-f]{64}$/ })
  t.match(await prunes(...asked, "--json"), { status: 0, output: /"exported":0/ })
  for (const words of [[], ["--older-than", "0d"], ["--older-than", "90"]])
    t.match(
      await prunes(...words),
      { status: 2, output: /--older-than takes a number of days/ },
      words.join(" "),
    )
  t.match(await prunes("--older-than", "1d", "more"), { status: 2, output: /more/ })
  t.match(await prunes("--help"), { status: 0, output: /--dry-run/ })
})

t.test("a deleted sub-organization is erased everywhere, and the exports still prove the rest", async (t) => {
  const words = {
    name: "Jane's Holdings",
    user: "Jane Q. Doe",
    email: "jane.doe@customers.example",
    phone: "+4915112345678",
    other: "john.roe@customers.example",
  }
  const texts = Object.values(words)
  const key = newKey()
  const rootUser = { ...userParams(words.user, key), userEmail: words.email, userPhoneNumber: words.phone }
  const { userTags: _tags, ...rootParams } = rootUser as typeof rootUser & { userTags?: unknown }
  await sql`insert into webhook_targets (organization_id, endpoint_id, url, events)
    values (${organizationId}, '01900000-0000-7000-8000-00000000beef', 'https://hooks.example/', 1)`
  const create = subOrganization([], { subOrganizationName: words.name, rootUsers: [rootParams] })
  const made = await submit("create_sub_organization", "CREATE_SUB_ORGANIZATION_V7", create)
  const { createSubOrganizationResultV7: child } = (made["activity"] as { result: Json }).result as {
    createSubOrganizationResultV7: { subOrganizationId: string; wallet: { addresses: string[] } }
  }
  const id = child.subOrganizationId
  const asChild = (path: string, type: string, parameters: object) =>
    system.post(`submit/${path}`, system.body(type, id, parameters), key)
  const second = { ...userParams("john", newKey()), userEmail: words.other }
  t.equal((await asChild("create_users", "CREATE_USERS_V3", { users: [second] })).status, 200)
  const erasedFrom = join(directory, "erased-exports")
  const folder = new ExportFolder(erasedFrom)
  await prune({ sql, folder, beforeMs: Date.now() + 60_000 })
  await asChild("sign_raw_payload", "SIGN_RAW_PAYLOAD_V2", signParams(child.wallet.addresses[0] ?? ""))
  const letter = {
    ...signParams(address),
    payload: `Dear ${words.other}`,
    encoding: "PAYLOAD_ENCODING_TEXT_UTF8",
  }
  const signed = await submit("sign_raw_payload", "SIGN_RAW_PAYLOAD_V2", {
    ...letter,
    hashFunction: "HASH_FUNCTION_SHA256",
  })
  t.match(signed, { activity: { status: "ACTIVITY_STATUS_COMPLETED" } })

  const signer = () => runs("signer/operator/main.ts", "erase", id)
  const flags = texts.flatMap((text) => ["--text", text])
  const node = (...more: string[]) =>
    runs("services/node/main.ts", "db", "erase", id, "--exports", erasedFrom, ...flags, ...more)
  t.match(await signer(), { status: 3, output: /was not deleted by its users/ })
  t.match(await node(), { status: 3, output: /is not deleted/ })
  const deletion = await asChild("delete_sub_organization", "DELETE_SUB_ORGANIZATION", {
    deleteWithoutExport: true,
  })
  t.equal(deletion.status, 200)
  t.match(await node(), { status: 3, output: /countersign-signer erase/ })
  t.match(await signer(), { status: 0, output: /is erased from the ledger/ })
  t.match(await signer(), { status: 0 }, "again")
  t.match(await node("--dry-run"), { status: 3, output: /younger than 65 minutes/ })
  t.not((await places()).length, 0, "it is found before")

  const erasure = { sql, folder, organizationId: id, words: texts, isDry: false }
  const erased = await eraseOrganization({ ...erasure, nowMs: Date.now() + 2 * 3600 * 1000 })
  t.match(erased, { parentActivities: 1, exportedLines: 2 })
  t.equal(erased.ownActivities, 2)
  // A stop writes the log into the ledger's database and removes it.
  await system.terminate("signer")
  await system.startSigner({ init: false })
  t.same(await places(), [])
  const { status, report, log } = await reportOf(erasedFrom)
  t.equal(status, 0, log)
  t.match(report, { verified: true, erased: 2, faults: [] })
  t.match(
    await node("--json"),
    { status: 0, output: /"ownActivities":0,"parentActivities":0/ },
    "nothing comes back",
  )
  t.same(await places(), [])
  t.equal((await asChild("sign_raw_payload", "SIGN_RAW_PAYLOAD_V2", signParams(address))).status, 400)
  t.match(await runs("services/node/main.ts", "db", "erase", "acme"), { status: 2, output: /takes the id/ })
  t.match(await node("--text", "Jane"), { status: 2, output: /too short/ })

  /** Where one of the texts stands: tables with their packed contents, the signer's files, exported files. */
  async function places(): Promise<string[]> {
    const found: string[] = []
    const look = (place: string, bytes: Buffer) => {
      const folded = bytes.toString("latin1").toLowerCase()
      for (const text of texts)
        if (folded.includes(Buffer.from(text).toString("latin1").toLowerCase()))
          found.push(`${place}: ${text}`)
    }
    const tables = await sql<{ name: string }[]>`select table_name as name from information_schema.tables
      where table_schema = 'public' and table_type = 'BASE TABLE'`
    for (const { name } of tables) {
      for (const row of await sql`select * from ${sql(name)}`)
        for (const value of Object.values(row))
          look(
            name,
            Buffer.isBuffer(value)
              ? value
              : Buffer.from(typeof value === "object" ? JSON.stringify(value) : String(value)),
          )
    }
    for (const owner of [id, organizationId])
      for await (const rows of activitiesOf(sql, owner)) look("contents", Buffer.from(JSON.stringify(rows)))
    for (const { snapshot } of await sql<
      { snapshot: object | null }[]
    >`select snapshot from webhook_deliveries`)
      if (snapshot) look("snapshot", Buffer.from(JSON.stringify(readSnapshot(JSON.stringify(snapshot)))))
    for (const place of [system.directory, erasedFrom])
      for (const name of readdirSync(place, { recursive: true, encoding: "utf8" })) {
        const path = join(place, name)
        if (statSync(path).isFile()) look(name, readFileSync(path))
      }
    return found
  }
})
