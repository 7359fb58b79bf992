// Copies of the store of codes beside the process that has it open.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import { copyStore } from "../../../../signer/fetcher/codes/copy-store.ts"
import { CodeStore } from "../../../../signer/fetcher/codes/store.ts"
import { isLong } from "../../../harness/long.ts"
import { newIdentity, newStoreFile } from "../../../harness/fetcher.ts"
import { writerKey } from "./store-writer.ts"

const key = newIdentity().codeKeys.store

/** Each copy costs more than the one before: opening it verifies every row. */
const COPIES = isLong ? 40 : 12

/** Opens a copy in a folder of its own. */
function openCopy(file: string): CodeStore {
  const target = newStoreFile()
  for (const { suffix, bytes } of copyStore(file)) writeFileSync(`${target}${suffix}`, bytes)
  return CodeStore.open(target, key)
}

t.test(
  "W127: a copy of the store of codes, made while codes are written, opens and has what was durable",
  async (t) => {
    const file = newStoreFile()
    t.strictSame(copyStore(file), [], "there is none yet")
    const writer = join(import.meta.dirname, "store-writer.ts")
    const words = [writer, file, key.export().toString("hex")]
    const child = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "inherit"] })
    t.teardown(() => child.kill("SIGKILL"))
    let copies = 0
    const lines = { text: "", last: -1 }
    child.stdout.on("data", (bytes: Buffer) => {
      lines.text += bytes.toString()
      lines.last = Number(/(\d+)\n[^\n]*$/.exec(lines.text)?.[1] ?? -1)
    })
    while (copies < COPIES || lines.last <= 100) {
      await once(child.stdout, "data")
      const durable = lines.last
      const copy = openCopy(file)
      if (durable >= 0) t.not(copy.get("contact", writerKey(durable)), undefined, `change ${durable}`)
      copy.close()
      copies += 1
    }
    child.kill("SIGKILL")
    await once(child, "exit")
    t.ok(lines.last > 100, "the log was begun anew meanwhile")
  },
)
