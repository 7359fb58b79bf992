// Numbers of decisions across stops, crashes and the bound on memory.
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import t from "tap"
import { readLeaf } from "../../../../signer/core/log/leaf.ts"
import { logDirectory, setAsideLog } from "../../../../signer/enclave/log/log-files.ts"
import { ORGANIZATION, TestLog } from "../../../harness/signer-log.ts"

const OTHERS = ["a", "b", "c"].map((digit) => `${digit.repeat(8)}-2222-8333-8444-555555555555`)

const countOf = ({ log }: TestLog, organizationId = ORGANIZATION) => {
  const { startIndex, decisions } = log.count(organizationId)
  return [startIndex, decisions]
}

t.test("C-1734: numbers go on across an orderly stop, and begin anew after a crash", async (t) => {
  const directory = t.testdir()
  const first = new TestLog(directory)
  first.decide(5)
  first.decide(2, OTHERS[0])
  await first.log.close()
  const second = new TestLog(directory)
  t.strictSame(countOf(second), [0, 5])
  second.decide(1)
  t.strictSame(countOf(second), [0, 6])
  t.strictSame(countOf(second, OTHERS[0]), [0, 2])
  await second.log.close()
  const third = new TestLog(directory)
  t.strictSame(countOf(third), [0, 6], "of the latest stop")
  third.decide(1)
  await third.sign()
  const start = third.log.signed.size
  t.strictSame(countOf(new TestLog(directory)), [start, 0], "after a crash")
})

t.test("W112: counts that are not those of the stop before are not used", async (t) => {
  const directory = t.testdir()
  const file = join(directory, "counts")
  const restarted = async (alter: () => void) => {
    const log = new TestLog(directory)
    log.decide(3)
    await log.log.close()
    alter()
    return countOf(new TestLog(directory))[1]
  }
  t.equal(await restarted(() => undefined), 3)
  const older = join(directory, "older")
  copyFileSync(file, older)
  t.equal(await restarted(() => copyFileSync(older, file)), 0, "those of an earlier stop")
  const length = readFileSync(file).length
  for (const at of [0, 32, length - 1]) {
    const altered = () => {
      const bytes = readFileSync(file)
      bytes[at]! ^= 1
      writeFileSync(file, bytes)
    }
    t.equal(await restarted(altered), 0, `byte ${at} of ${length}`)
  }
  t.equal(await restarted(() => writeFileSync(file, readFileSync(file).subarray(0, -44))), 0, "one less")
  t.equal(await restarted(() => rmSync(file)), 0, "none")
  t.equal(await restarted(() => undefined), 3)
})

t.test("C-1735: beyond the bound all organizations are counted anew, which leaves show", async (t) => {
  const log = new TestLog(t.testdir(), undefined, { mostCounted: 2 })
  log.decide(3)
  log.decide(1, OTHERS[0])
  log.decide(1)
  t.strictSame(countOf(log), [0, 4])
  log.decide(1, OTHERS[1])
  await log.sign()
  const leaves = log.log.signed.leaves(0, 100).map((bytes) => readLeaf(bytes)!)
  t.strictSame(
    leaves.slice(6).map(({ kind }) => kind),
    ["stop", "start", "decision"],
  )
  t.match(leaves[6]?.value, new Uint8Array(32))
  t.strictSame(countOf(log, OTHERS[1]), [7, 1])
  t.strictSame(countOf(log), [7, 0])
  log.decide(1)
  t.strictSame(countOf(log), [7, 1])
  log.decide(1, OTHERS[2])
  t.strictSame(countOf(log, OTHERS[2]), [11, 1])
})

t.test("C-1736: a log that was left where a ledger is created is kept beside it", async (t) => {
  const directory = t.testdir()
  setAsideLog(directory)
  t.notOk(existsSync(logDirectory(directory)))
  for (const number of [1, 2]) {
    mkdirSync(logDirectory(directory))
    writeFileSync(join(logDirectory(directory), "era"), String(number))
    setAsideLog(directory)
    t.notOk(existsSync(logDirectory(directory)))
    t.equal(readFileSync(join(directory, `log-former-${number}`, "era"), "utf8"), String(number))
  }
})

t.test("a full disk at the first start is LEDGER_FULL, and at a stop costs the counts alone", async (t) => {
  const directory = t.testdir()
  const full = (name: string) => {
    rmSync(join(directory, `${name}.next`), { force: true })
    symlinkSync("/dev/full", join(directory, `${name}.next`))
  }
  full("checkpoint")
  t.throws(() => new TestLog(directory), { code: "LEDGER_FULL", message: /make room/ })
  rmSync(join(directory, "checkpoint.next"))
  const log = new TestLog(directory)
  log.decide(2)
  full("counts")
  await log.log.close()
  rmSync(join(directory, "counts.next"))
  const next = new TestLog(directory)
  t.equal(next.code, undefined)
  t.equal(countOf(next)[1], 0)
})
