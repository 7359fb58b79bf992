import t from "tap"
import { LogOutput, type LogTarget } from "../../../signer/core/log-output.ts"

/** A target that takes lines, refuses them, or has a reader that does not read. */
function target() {
  const written: string[] = []
  const state = { isFull: false, queued: 0 }
  const log: LogTarget = {
    write(text) {
      if (state.isFull) throw new Error("ENOSPC")
      written.push(text)
    },
    queued: () => state.queued,
  }
  return { written, state, output: new LogOutput(log, (lost) => `${lost} lost`) }
}

t.test("lines that the target refuses are counted, and reported with the next that it takes", (t) => {
  const { written, state, output } = target()
  output.write("a\n")
  state.isFull = true
  output.write("b\n")
  output.write("c\nd\n")
  state.isFull = false
  output.write("e\n")
  output.write("f\n")
  t.same(written, ["a\n", "\n3 lost\ne\n", "f\n"])
  t.end()
})

t.test("unread lines beyond a mebibyte are dropped, not kept in memory", (t) => {
  const { written, state, output } = target()
  state.queued = 1024 * 1024 + 1
  output.write("a\n")
  state.queued = 0
  output.write("b\n")
  t.same(written, ["\n1 lost\nb\n"])
  t.end()
})
