// `config apply` that is interrupted says that the same command continues.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import t from "tap"
import { generateApiKey } from "../../../services/terminal-client/api-key.ts"
import { bindKey, writeKey } from "../../../services/terminal-client/key-folder.ts"
import { packageRoot } from "../../../services/terminal-client/settings.ts"
import { fakeApi } from "./fake-api.ts"
import { ORGANIZATION, organizationAnswers } from "./organization-answers.ts"

const INTERRUPTED = 128 + 2
const COMPLETED = "ACTIVITY_STATUS_COMPLETED"

t.test("config apply, interrupted at its first request, says how to go on", async (t) => {
  const COUNTERSIGN_DATA_DIR = t.testdir()
  const keys = join(COUNTERSIGN_DATA_DIR, "keys")
  await writeKey(keys, "root", generateApiKey())
  await bindKey(keys, "root", ORGANIZATION)
  const file = join(COUNTERSIGN_DATA_DIR, "o.yaml")
  // More changes than can be sent before the signal arrives.
  const userTags = Array.from({ length: 60 }, (_, index) => `tag ${index}`)
  writeFileSync(file, JSON.stringify({ version: 1, userTags }))
  let interrupt = () => {}
  const activity = { id: "a", organizationId: ORGANIZATION, status: COMPLETED, result: {} }
  const api = await fakeApi(t, {
    ...organizationAnswers(),
    "/public/v1/submit/create_user_tag": () => {
      interrupt()
      return { reply: { activity } }
    },
  })
  const words = ["config", "apply", file, "--yes", "--api", api.url]
  const env = { PATH: process.env["PATH"], COUNTERSIGN_DATA_DIR }
  const child = spawn(process.execPath, [join(packageRoot, "services/cli/main.ts"), ...words], { env })
  interrupt = () => void child.kill("SIGINT")
  child.stdout.resume()
  const [log, [status]] = await Promise.all([text(child.stderr), once(child, "close")])
  t.equal(status, INTERRUPTED)
  t.match(log, /stopped: what was done stays\. The same command continues, and sends nothing twice/)
})
