// An empty volume of the signer, and another deployment's database: neither goes unnoticed, and both can be undone.
import { execFile } from "node:child_process"
import { existsSync, readFileSync, renameSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import t from "tap"
import { freshDatabase } from "../harness/database.ts"
import { isLong } from "../harness/long.ts"
import { type CreatedOrganization, System } from "../harness/system.ts"

const run = promisify(execFile)

t.test(
  "a signer whose volume is empty creates nothing, and the API is not ready until it is back",
  async (t) => {
    const { url } = await freshDatabase(t)
    const system = await System.start(url)
    t.teardown(() => system.stop())
    const acme = await system.createOrganization()
    const home = join(system.directory, "signer")
    const seed = join(home, "root-seed")
    const readyz = async () => {
      const { status, text } = await system.send("/readyz", {})
      return { status, text }
    }
    const whoami = ({ organizationId, root }: CreatedOrganization) =>
      system.query("whoami", { organizationId }, root)
    const operator = (word: string) => {
      const environment = { PATH: process.env["PATH"], COUNTERSIGN_DATA_DIR: system.directory }
      return run(process.execPath, ["signer/operator/main.ts", word, "--json"], { env: environment })
    }
    const pins = (await system.send("/public/v1/pins", {})).json

    await system.killSigner()
    renameSync(home, `${home}.away`)
    await system.startSigner({ init: false })
    await until(async () => (await readyz()).text.includes("ROOT_SEED_MISSING"))
    t.match(await readyz(), { status: 503, text: /"signer":"ROOT_SEED_MISSING: .*countersign-signer init/ })
    await t.rejects(
      operator("status"),
      { code: 3, stdout: /"phase":"EMPTY"/ },
      "the container's health check fails",
    )
    t.notOk(existsSync(seed), "no seed was created")

    const created = JSON.parse((await operator("init")).stdout) as { deploymentId: string }
    t.not(created.deploymentId, pins.deploymentId)
    const bytes = readFileSync(seed)
    if (isLong)
      await t.rejects(operator("init"), {
        code: 1,
        stderr: /a root seed is stored in \S+ already\. Nothing was changed\..* npx countersign-signer serve/,
      })
    t.ok(readFileSync(seed).equals(bytes))
    await system.killSigner()
    await system.startSigner()
    await until(async () => (await readyz()).text.includes("DATABASE_FOREIGN"))
    const { status, text } = await readyz()
    t.equal(status, 503)
    for (const { deploymentId } of [pins, created]) t.match(text, String(deploymentId))
    t.match(await whoami(acme), { status: 503, text: /DATABASE_FOREIGN/ })

    await system.killSigner()
    renameSync(home, `${home}.other`)
    renameSync(`${home}.away`, home)
    await system.startSigner()
    await until(async () => (await readyz()).status === 200)
    t.match(await whoami(acme), { status: 200 })
  },
)

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 50))
}
