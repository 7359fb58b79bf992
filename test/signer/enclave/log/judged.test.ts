// Programs in Go verify the files of a log that the signer wrote: across restarts, with each leaf, tile and head.
import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import t from "tap"
import { writeNoteKey } from "../../../../signer/core/log/note-key.ts"
import { consistencyParts, hashesOf, inclusionParts } from "../../../../signer/core/log/proofs.ts"
import { leafHash } from "../../../../signer/core/log/merkle.ts"
import { judge } from "../../../harness/judges.ts"
import { writeLogFiles } from "../../../harness/log-files.ts"
import { isLong } from "../../../harness/long.ts"
import { patienceMs } from "../../../harness/patience.ts"
import { logSigner, TestLog } from "../../../harness/signer-log.ts"

const run = promisify(execFile)
const { program, skip } = judge("log")
const ROUNDS = isLong ? 40 : 3
const base64 = (hash: Uint8Array) => Buffer.from(hash).toString("base64")

t.test(
  "sumdb and torchwood verify a log that grew over many starts",
  { skip, timeout: patienceMs(isLong ? 600_000 : 60_000) },
  async (t) => {
    const folder = t.testdir()
    const directory = join(folder, "log")
    const sizes: { size: number; root: Uint8Array }[] = []
    let log = new TestLog(directory)
    for (let round = 0; round < ROUNDS; round++) {
      log.decide(2600)
      log.transaction()
      await log.sign()
      const { size } = log.log.signed
      sizes.push({ size, root: log.log.signed.rootAt(size) })
      await log.log.close()
      log = new TestLog(directory, log.ledger)
    }
    const { signed } = log.log
    const { size } = signed
    const leaves = signed.leaves(0, size)
    t.equal(leaves.length, size)
    const inclusion = leaves.flatMap((leaf, index) =>
      index % 97 === 0
        ? [
            {
              index,
              leaf: base64(leafHash(leaf)),
              proof: hashesOf(inclusionParts(index, size), signed.read).map(base64),
            },
          ]
        : [],
    )
    const consistency = sizes.map((old) => ({
      size: old.size,
      root: base64(old.root),
      proof: hashesOf(consistencyParts(old.size, size), signed.read).map(base64),
    }))
    const files = join(folder, "files")
    writeLogFiles(files, leaves, signed.read, {
      key: writeNoteKey(logSigner(signed.origin).key),
      checkpoint: log.checkpoint.toString(),
      "proofs.json": JSON.stringify({ inclusion, consistency }),
    })
    const { stdout } = await run(program, ["check", files])
    t.equal(stdout, `leaves ${size}, inclusion ${inclusion.length}, consistency ${ROUNDS}, cosignatures 0\n`)
  },
)
