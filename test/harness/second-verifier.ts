import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { toJson } from "@bufbuild/protobuf"
import { type Pins, PinsSchema } from "../../proto/gen/countersign/state/v1/setup_pb.ts"
import { ROOT, TOOLS } from "../../scripts/run.ts"
import { type Evidence, type Report, verifyProofs } from "../../signer/core/proof/verify/index.ts"
import type { StampedText } from "../../signer/core/proof/verify/stamped-text.ts"
import { verifyStoredStamp } from "../../signer/core/stamp/verify.ts"
import { judge } from "./judges.ts"

type Test = {
  test(title: string, options: { skip: string | false }, run: (t: Test) => Promise<void>): unknown
  equal(found: unknown, wanted: unknown, title: string): boolean
  strictSame(found: unknown, wanted: unknown, title: string): boolean
}

const { program, skip } = judge("proofs")
const MAX_BYTES = 1 << 26

/**
 * Asks two verifiers of proofs: the one of this project, and a program in Go that was written from docs/formats and has no line of
 * it (test/judges/proofs). The second one judges all evidence at once, at the end.
 */
export class SecondVerifier {
  /** Verdict of the first verifier by the line of an evidence. */
  readonly #verdicts = new Map<string, boolean>()

  verify(evidence: Evidence): Report {
    const report = verifyProofs(evidence)
    this.#verdicts.set(lineOf(evidence), report.verified)
    return report
  }

  /** @param stamp as votes show one, with its text */
  verifyStamp({ message, ...stamp }: StampedText): boolean {
    const isStamped = verifyStoredStamp(stamp, Buffer.from(message))
    this.#verdicts.set(JSON.stringify({ stamp: { message, ...stamp } }), isStamped)
    return isStamped
  }

  /** A test that both come to the same verdict on all evidence since the last comparison, some of which holds. */
  compare(t: Test): void {
    t.test("a second verifier, in Go, accepts and refuses the same evidence", { skip }, async (one) => {
      const lines = [...this.#verdicts.keys()]
      const second = judged(lines)
      const differences = lines.flatMap((line, index) => {
        const verdict = second[index] ?? "no verdict"
        return (verdict === "verified") === this.#verdicts.get(line) ? [] : [{ verdict, line }]
      })
      one.strictSame(differences.slice(0, 3), [], `${lines.length} pieces of evidence`)
      one.equal(second.length, lines.length, "each has a verdict")
      one.equal([...this.#verdicts.values()].includes(true), true, "some evidence holds")
      this.#verdicts.clear()
    })
  }
}

function lineOf({ pins, formerPins = [], ...others }: Evidence): string {
  const former = formerPins.map((one) => ({ ...one, pins: jsonOf(one.pins) }))
  return JSON.stringify({ ...others, pins: pins && jsonOf(pins), formerPins: former })
}

function jsonOf(pins: Pins) {
  return toJson(PinsSchema, pins)
}

function judged(lines: readonly string[]): string[] {
  const directory = mkdtempSync(join(tmpdir(), "cs-contract-"))
  try {
    const contract = join(directory, "contract.binpb")
    execFileSync("buf", ["build", "proto", "--exclude-source-info", "-o", contract], {
      cwd: ROOT,
      env: TOOLS,
    })
    const input = `${lines.join("\n")}\n`
    return execFileSync(program, [contract], { input, maxBuffer: MAX_BYTES, encoding: "utf8" })
      .trim()
      .split("\n")
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
