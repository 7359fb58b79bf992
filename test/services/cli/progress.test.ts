import t from "tap"
import { Progress } from "../../../services/cli/output/progress.ts"

/** A progress of ten whose clock is moved by hand. */
function setup({ isTerminal }: { isTerminal: boolean }) {
  let now = 0
  const [lines, drawn]: string[][] = [[], []]
  const progress = new Progress({
    noun: "activities",
    total: 10,
    screen: isTerminal ? { write: (text) => drawn?.push(text) } : undefined,
    log: (line) => lines?.push(line),
    nowMs: () => now,
  })
  const advance = (count: number, eachMs: number) => {
    for (let done = 0; done < count; done++) {
      now += eachMs
      progress.advance()
    }
  }
  return { progress, advance, lines: lines ?? [], drawn: drawn ?? [] }
}

t.test("a terminal gets a bar with rate and rest, drawn in place", async (t) => {
  const { progress, advance, lines, drawn } = setup({ isTerminal: true })
  advance(5, 500)
  t.equal(drawn.at(-1), "\r[############------------] 5/10 activities, 2/s, 3 s left\x1b[K")
  advance(5, 500)
  t.equal(drawn.at(-1), "\r[########################] 10/10 activities, 2/s, 0 s left\x1b[K")
  progress.clear()
  t.equal(drawn.at(-1), "\r\x1b[K")
  t.strictSame(lines, [])
})

t.test("without a terminal there is a line of JSON now and then, and at the end", async (t) => {
  const { advance, lines, drawn } = setup({ isTerminal: false })
  advance(9, 1_000)
  const parsed = () => lines.map((line) => JSON.parse(line))
  t.strictSame(parsed(), [{ progress: "activities", done: 5, total: 10, perSecond: 1, restSeconds: 5 }])
  advance(1, 1_000)
  t.match(parsed().at(-1), { done: 10, restSeconds: 0 })
  t.strictSame(drawn, [])
})
