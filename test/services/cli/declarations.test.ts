import type { Command } from "commander"
import t from "tap"
import { silentProgram } from "../../../scripts/generators/command-reference.ts"

const program = await silentProgram()

/** All commands below one, with their paths. */
function commandsOf(parent: Command, path: readonly string[] = []): [path: string, command: Command][] {
  return parent.commands.flatMap((command) => {
    const own = [...path, command.name()]
    return [[own.join(" "), command] as [string, Command], ...commandsOf(command, own)]
  })
}

/** A command that does something; a group alone only has commands. */
function isRun({ commands, registeredArguments, options }: Command): boolean {
  return commands.length === 0 || registeredArguments.length > 0 || options.length > 0
}

/** The text of --help. */
function helpOf(command: Command): string {
  let help = ""
  command.configureOutput({ writeOut: (text) => (help += text) })
  command.outputHelp()
  return help
}

t.test("every command and group has a sentence, and one meaning", (t) => {
  const commands = commandsOf(program)
  t.ok(commands.length > 130)
  t.equal(new Set(commands.map(([path]) => path)).size, commands.length)
  t.strictSame(
    commands.filter(([, command]) => command.description() === "").map(([path]) => path),
    [],
  )
  t.end()
})

t.test("a command's own options come before those that many commands share", (t) => {
  const groups = [undefined, "Common options:", "Options of changes:"]
  for (const [path, { options }] of commandsOf(program)) {
    const places = options.map(({ helpGroupHeading }) => groups.indexOf(helpGroupHeading))
    t.strictSame(
      places,
      places.toSorted((one, other) => one - other),
      path,
    )
  }
  t.end()
})

t.test("the help of every command has an example", (t) => {
  for (const [path, command] of commandsOf(program))
    if (isRun(command)) t.match(helpOf(command), /^Examples?:\n {2}\$ countersign \S/m, path)
  t.end()
})

t.test("each example is a command line of its command, with options that it has", (t) => {
  for (const [path, command] of commandsOf(program)) {
    const examples = [...helpOf(command).matchAll(/^ {2}\$ countersign (.*)$/gm)].map(([, line = ""]) => line)
    const names = [path, ...command.aliases().map((alias) => path.replace(/\S+$/, alias))]
    for (const line of examples) {
      t.ok(
        names.some((name) => line === name || line.startsWith(`${name} `)),
        `${line} is no example of ${path}`,
      )
      const known = command.options.map(({ long }) => long)
      // Options within a quoted text are no options.
      const given: readonly string[] = line.replace(/'[^']*'|"[^"]*"/g, "").match(/(?<= )--[a-z-]+/g) ?? []
      t.strictSame(
        given.filter((option) => !known.includes(option)),
        [],
        line,
      )
      const required = command.options.filter(({ mandatory }) => mandatory).map(({ long }) => long)
      t.strictSame(
        required.filter((option) => !given.includes(option ?? "")),
        [],
        `${line} has the required options`,
      )
    }
  }
  t.end()
})
