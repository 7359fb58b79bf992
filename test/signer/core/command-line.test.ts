import t from "tap"
import { excessWords, parseWords, UsageFault, unknownCommand } from "../../../signer/core/command-line.ts"

const OPTIONS = {
  "older-than": { type: "string" },
  json: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const

const parse = (...words: string[]) => parseWords(words, OPTIONS, "tool db")

t.test("words of a command line are its options and the rest", async (t) => {
  t.same(parse("a", "--older-than", "90d", "-h", "b"), {
    values: { "older-than": "90d", help: true },
    positionals: ["a", "b"],
  })
  t.same(parse("--older-than=-1d", "--json").values, { "older-than": "-1d", json: true })
  t.same(parse("--older-than", "-").values, { "older-than": "-" }, "a dash stands for standard input")
  t.same(parse("--", "--json").positionals, ["--json"])
})

t.test("a fault names the option, what was probably meant, and the place of the list", async (t) => {
  const advice = "tool db --help lists commands and options"
  const faults: [string[], string][] = [
    [["--older-then", "1d"], `there is no option --older-then; did you mean --older-than? ${advice}`],
    [["--zzz"], `there is no option --zzz: ${advice}`],
    [["-z"], `there is no option -z: ${advice}`],
    [["--older-than"], `option --older-than needs a value: ${advice}`],
    [["--json=1"], `option --json takes no value: ${advice}`],
    [
      ["--older-than", "--json"],
      `option --older-than needs a value; one that begins with a dash is written --older-than=--json: ${advice}`,
    ],
  ]
  for (const [words, message] of faults)
    t.throws(() => parse(...words), new UsageFault(message), words.join(" "))
})

t.test("a fault names an unknown command and words that are not expected", async (t) => {
  const known = ["prune", "erase"]
  t.equal(
    unknownCommand("prun", known, "tool db").message,
    'no command "prun"; did you mean prune? tool db --help lists commands and options',
  )
  t.equal(
    unknownCommand("zzz", known, "tool db").message,
    'no command "zzz": tool db --help lists commands and options',
  )
  t.equal(
    excessWords(["a", "b"], "prune", "tool db").message,
    '"a b" is not expected after prune: tool db --help lists commands and options',
  )
})
