import { Help } from "commander"
import { SECTIONS, type CommandSection, type TopWord } from "../../services/cli/declarations/sections.ts"
import { silentProgram } from "./command-reference.ts"

/** The lines of help about the first words of commands, which a start reads instead of loading all commands. */
export async function topWords(): Promise<string> {
  const sections = new Map<string, CommandSection[]>()
  for (const section of Object.keys(SECTIONS) as CommandSection[])
    for (const word of await firstWordsOf(section))
      sections.set(word, [...(sections.get(word) ?? []), section])
  const help = new Help()
  const words = (await silentProgram()).commands.flatMap((command): TopWord[] => {
    const own = sections.get(command.name())
    // Every program has `help`, which is in no section.
    if (own === undefined) return []
    const [name, term, about] = [command.name(), help.subcommandTerm(command), command.description()]
    return [{ name, term, about, sections: own }]
  })
  return `// Generated from the declarations of commands by \`npm run generate\`: not edited by hand.
import type { TopWord } from "./sections.ts"

/** First words of all commands, in the order of help. */
export const TOP_WORDS: readonly TopWord[] = ${JSON.stringify(words)}
`
}

async function firstWordsOf(section: CommandSection): Promise<ReadonlySet<string>> {
  const declarations = await SECTIONS[section]()
  return new Set(declarations.map(({ words }) => words.split(" ")[0]!))
}
