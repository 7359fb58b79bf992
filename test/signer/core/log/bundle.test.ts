// Bundles of decisions are verified from pins alone, and each way to alter one is named.
import { execFile } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import t from "tap"
import { LogBundle, type Trusted } from "../../../../signer/core/log/verify/bundle.ts"
import { judge } from "../../../harness/judges.ts"
import { BundledLog, NONCE, notarizer, START_MS, withEnd } from "../../../harness/log-bundle.ts"
import { isLong } from "../../../harness/long.ts"
import { ORGANIZATION } from "../../../harness/signer-log.ts"

const run = promisify(execFile)
const { program, skip } = judge("log")
const { pins } = notarizer()

type Line = { [member: string]: unknown }

function verify(lines: readonly string[], trusted: Partial<Trusted> = {}) {
  const bundle = new LogBundle({ pins: [pins], organizationId: ORGANIZATION, nonce: NONCE, ...trusted })
  for (const line of lines) bundle.add(line)
  return bundle.end()
}

const codesOf = (lines: readonly string[], trusted?: Partial<Trusted>) =>
  [...new Set(verify(lines, trusted).faults.map(({ code }) => code))].join()

/** The lines with some altered. The last line counts them again. */
const altered = (lines: readonly string[], alter: (line: Line, index: number) => Line | undefined) =>
  withEnd(
    lines.slice(0, -1).flatMap((text, index) => {
      const line = alter(JSON.parse(text) as Line, index)
      return line === undefined ? [] : [JSON.stringify(line)]
    }),
  )

/** The lines with the members of the nth decision altered. */
const alteredDecision = (lines: readonly string[], alter: (line: Line, decision: Line) => void, nth = 4) => {
  let count = 0
  return altered(lines, (line) => {
    const { decision } = line as { decision?: Line }
    if (decision !== undefined && ++count === nth) alter(line, decision)
    return line
  })
}

const flipped = (hex: unknown, at = 0) => {
  const bytes = Buffer.from(String(hex), "hex")
  bytes[at]! ^= 1
  return bytes.toString("hex")
}

t.test("C-1731: a bundle proves each decision of an organization, from pins alone", async (t) => {
  const log = new BundledLog(t.testdir())
  log.decide(300)
  await log.log.sign()
  const kept = log.log.checkpoint.toString()
  log.decide(20)
  const report = verify(await log.bundle({ kept: [kept] }))
  t.match(report, {
    verified: true,
    faults: [],
    consistentWith: [601],
    head: { documentVersion: "7", decisions: "320" },
    runs: [{ startIndex: 0, first: 1, last: 320, count: 320, missing: [] }],
    gaps: [],
  })
  t.equal(report.decisions.length, 320)
  t.match(report.decisions[0], { status: 3, decidedAtMs: START_MS, leafIndex: 1 })
})

t.test("W111: each fault of a bundle has its name", async (t) => {
  const directory = t.testdir({ own: {}, other: {} })
  const log = new BundledLog(join(directory, "own"))
  log.decide(10)
  const lines = await log.bundle()
  t.equal(codesOf(lines), "")
  const other = new BundledLog(join(directory, "other"))
  other.decide(12)
  const otherLines = await other.bundle()
  const header = (text: string | undefined) => JSON.parse(text ?? "") as { [member: string]: string }
  const withHeader = (members: object) =>
    altered(lines, (line, index) => (index === 0 ? { ...line, ...members } : line))
  const dropped = (nth: number) => {
    let count = 0
    return altered(lines, (line) => ("decision" in line && ++count === nth ? undefined : line))
  }
  const faults: [string, string, string[], Partial<Trusted>?][] = [
    ["a foreign deployment", "LOG_KEY_UNTRUSTED", lines, { pins: [notarizer(8).pins] }],
    ["no pins", "LOG_KEY_UNTRUSTED", lines, { pins: [] }],
    ["pins of another id", "LOG_KEY_UNTRUSTED", lines, { pins: [notarizer(9, ORGANIZATION).pins] }],
    [
      "another organization",
      "ORGANIZATION_FOREIGN",
      lines,
      { organizationId: "33333333-2222-8333-8444-555555555555" },
    ],
    [
      "a decision of another organization",
      "ORGANIZATION_FOREIGN,COUNTER_MISSING",
      alteredDecision(lines, (_, decision) => {
        decision["statement"] = flipped(decision["statement"])
      }),
    ],
    ["another nonce", "HEAD_UNTRUSTED", lines, { nonce: "0d".repeat(16) }],
    [
      "an altered head",
      "HEAD_UNTRUSTED",
      withHeader({ head: { nonce: NONCE, statement: "0a", signature: "00" } }),
    ],
    [
      "an altered checkpoint",
      "CHECKPOINT_FOREIGN",
      withHeader({ checkpoint: header(lines[0])["checkpoint"]!.replace("\n21\n", "\n22\n") }),
    ],
    ["no checkpoint", "CHECKPOINT_FOREIGN", withHeader({ checkpoint: "" })],
    [
      "the checkpoint of another log",
      "LEAF_NOT_INCLUDED,COUNTER_MISSING",
      withHeader({ checkpoint: header(otherLines[0])["checkpoint"] }),
    ],
    [
      "a kept checkpoint of another log",
      "CHECKPOINT_CONTRADICTED",
      withHeader({ kept: [{ checkpoint: header(otherLines[0])["checkpoint"], consistencyProof: [] }] }),
    ],
    [
      "another salt",
      "LEAF_NOT_OPENED,COUNTER_MISSING",
      alteredDecision(lines, (_, decision) => {
        decision["salt"] = flipped(decision["salt"])
      }),
    ],
    [
      "an edited status",
      "LEAF_NOT_OPENED,COUNTER_MISSING",
      alteredDecision(lines, (_, decision) => {
        decision["statement"] = flipped(decision["statement"], 36 + 36 + 32)
      }),
    ],
    [
      "another activity beside the statement",
      "STATEMENT_CONTRADICTED,COUNTER_MISSING",
      alteredDecision(lines, (_, decision) => {
        decision["activityId"] = ORGANIZATION
      }),
    ],
    [
      "a changed leaf",
      "LEAF_NOT_INCLUDED,COUNTER_MISSING",
      alteredDecision(lines, (line) => {
        line["leaf"] = flipped(line["leaf"], 20)
      }),
    ],
    [
      "a shortened proof",
      "LEAF_NOT_INCLUDED,COUNTER_MISSING",
      alteredDecision(lines, (line) => {
        line["inclusionProof"] = (line["inclusionProof"] as string[]).slice(1)
      }),
    ],
    [
      "the leaf of another decision",
      "LEAF_NOT_INCLUDED,COUNTER_MISSING",
      alteredDecision(lines, (line) => {
        line["leafIndex"] = "1"
      }),
    ],
    [
      "another era",
      "ERA_OTHER,COUNTER_MISSING",
      alteredDecision(lines, (_, decision) => {
        decision["logOrigin"] = `${String(decision["logOrigin"])}/1800000000`
      }),
    ],
    ["a decision left out", "COUNTER_MISSING", dropped(5)],
    ["the first decision left out", "COUNTER_MISSING", dropped(1)],
    ["the last decision left out", "COUNTER_MISSING", dropped(10)],
    ["a decision twice", "COUNTER_TWICE", withEnd([...lines.slice(0, -1), lines.at(-2)!])],
    ["no last line", "BUNDLE_TRUNCATED", lines.slice(0, -1)],
    ["a line less", "BUNDLE_TRUNCATED", [...lines.slice(0, 3), ...lines.slice(4)]],
    ["half a line", "BUNDLE_TRUNCATED", [...lines.slice(0, 3), lines[3]!.slice(0, 40)]],
    ["a line more", "BUNDLE_MALFORMED", [...lines, lines[1]!]],
    ["nothing", "BUNDLE_TRUNCATED", []],
    ["another format", "BUNDLE_MALFORMED", withHeader({ format: "other" })],
    ["a line of nothing", "BUNDLE_MALFORMED", altered(lines, (line, index) => (index === 2 ? {} : line))],
  ]
  for (const [name, code, given, trusted] of faults) {
    t.equal(codesOf(given, trusted), code, name)
    t.equal(verify(given, trusted).verified, false, name)
  }
})

t.test("a range needs only its own decisions, and those that fill it", async (t) => {
  const log = new BundledLog(t.testdir())
  log.decide(20)
  const range = { fromMs: String(START_MS + 5000), toMs: String(START_MS + 9000) }
  const lines = await log.bundle(range)
  t.match(verify(lines), { verified: true, runs: [{ first: 6, last: 10, count: 5, missing: [] }] })
  const without = (numbers: readonly number[]) => {
    let count = 0
    return altered(lines, (line) => ("decision" in line && numbers.includes(++count) ? undefined : line))
  }
  t.equal(codesOf(without([1, 2, 3, 4, 5, 15])), "", "beyond the range")
  t.equal(codesOf(without([8])), "COUNTER_MISSING")
})

t.test("a decision without a receipt is named, and its number is missing", async (t) => {
  const log = new BundledLog(t.testdir())
  log.decide(6)
  const lines = alteredDecision(await log.bundle(), (_, decision) => {
    for (const name of ["logOrigin", "leafIndex", "salt", "statement"]) delete decision[name]
  })
  const report = verify(lines)
  t.match(report.unopened, [/^00000000-0000-7000-8000-000000000003 of activity /])
  t.match(report.faults, [
    { code: "COUNTER_MISSING", sentence: "decisions 4 since the start at leaf 0 were left out" },
  ])
})

t.test("a start without a stop before it is a gap of the signer", async (t) => {
  const directory = t.testdir()
  const killed = new BundledLog(directory)
  killed.decide(3)
  t.strictSame(verify(await killed.bundle()).gaps, [])
  const log = new BundledLog(directory)
  log.decide(3)
  t.match(verify(await log.bundle()), { verified: true, gaps: [7], runs: [{ startIndex: 7, count: 3 }] })
  await log.log.log.close()
  const next = new BundledLog(directory)
  next.decide(1)
  t.strictSame(verify(await next.bundle()).gaps, [7], "the count of that start goes on across the stop")
})

t.test("sumdb and the standard library of Go open every decision of a bundle", { skip }, async (t) => {
  const count = isLong ? 50_000 : 1_500
  const log = new BundledLog(t.testdir())
  log.decide(count)
  const lines = await log.bundle()
  const file = join(t.testdir({ bundle: {} }), "bundle", "all.jsonl")
  const point = pins.notarizerPublicKey.slice(130)
  const write = (given: readonly string[]) => writeFileSync(file, given.join("\n"))
  write(lines)
  const { stdout } = await run(program, ["bundle", file, point])
  t.equal(stdout, `leaves ${count + 1}, opened ${count}, of ${2 * count + 1}\n`)
  write(
    alteredDecision(lines, (_, decision) => {
      decision["salt"] = flipped(decision["salt"])
    }),
  )
  await t.rejects(run(program, ["bundle", file, point]), { code: 1 })
  write(
    alteredDecision(lines, (line) => {
      line["leaf"] = flipped(line["leaf"], 20)
    }),
  )
  await t.rejects(run(program, ["bundle", file, point]), { code: 1 })
  write(lines)
  await t.rejects(run(program, ["bundle", file, notarizer(8).pins.notarizerPublicKey.slice(130)]), {
    code: 1,
  })
})
