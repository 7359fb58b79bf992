// Questions at a terminal: only yes is yes.
import { PassThrough } from "node:stream"
import { stripVTControlCharacters } from "node:util"
import t from "tap"
import { confirm } from "../../../services/terminal-client/ask.ts"

/** A terminal at which a person types this once the question stands there; `shown`: all that the terminal shows. */
function terminalThatTypes(typed: string) {
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => stdin })
  const stderr = Object.assign(new PassThrough(), { isTTY: true, columns: 80 })
  let shown = ""
  stderr.on("data", (text: Buffer) => {
    shown += text.toString()
    if (stripVTControlCharacters(shown).endsWith("[y/N] ")) stdin.write(typed)
  })
  return { stdin: stdin as never, stderr: stderr as never, shown: () => shown }
}

t.test("a question is answered by y or yes alone; Ctrl-C and Ctrl-D are no, and end the line", async (t) => {
  for (const [typed, expected] of [
    ["y\r", true],
    ["YES\r", true],
    [" yes \r", true],
    ["\r", false],
    ["n\r", false],
    ["yep\r", false],
    ["\u0003", false],
    ["y\u0003", false],
    ["\u0004", false],
  ] as const) {
    const terminal = terminalThatTypes(typed)
    t.equal(await confirm("send?", terminal.stdin, terminal.stderr), expected, JSON.stringify(typed))
    t.match(stripVTControlCharacters(terminal.shown()), /\n$/)
  }
})

t.test("without a terminal nothing is asked, and the fault names the option", (t) => {
  const stdin = Object.assign(new PassThrough(), { isTTY: false })
  return t.rejects(confirm("send?", stdin as never), {
    message: "send: there is no terminal to ask at; add --yes",
  })
})
