import type { Command } from "commander"
import { PROGRAMS } from "../programs.ts"

export const SHELLS = ["bash", "zsh", "fish"] as const
export type Shell = (typeof SHELLS)[number]

/** A path of command words such as `user create`, and the words that may follow it. */
type Place = { path: string; words: readonly Word[] }
type Word = { text: string; about: string }

/** The script that teaches a shell the commands and options of a program. */
export function completionScript(shell: Shell, program: Command): string {
  const [top, ...others] = placesOf(program, "")
  const programs = Object.keys(PROGRAMS).map((text) => ({ text, about: `run countersign-${text}` }))
  const places = [{ path: "", words: [...(top?.words ?? []), ...programs] }, ...others]
  if (shell === "fish") return fishScript(places)
  const bash = bashScript(places)
  return shell === "zsh" ? `autoload -Uz bashcompinit && bashcompinit\n${bash}` : bash
}

function placesOf(command: Command, path: string): Place[] {
  const own = [
    ...command.commands.flatMap((one) => namesOf(one).map((text) => ({ text, about: one.description() }))),
    ...command.options.map(({ long, description }) => ({ text: long ?? "", about: description })),
    { text: "--help", about: "explain the command" },
  ]
  return [
    { path, words: own.filter(({ text }) => text !== "") },
    ...command.commands.flatMap((one) =>
      namesOf(one).flatMap((name) => placesOf(one, `${path} ${name}`.trim())),
    ),
  ]
}

function namesOf(command: Command): string[] {
  return [command.name(), ...command.aliases()]
}

/** The path grows with each word that leads on: options and their values do not. */
function bashScript(places: readonly Place[]): string {
  const cases = places.map(
    ({ path, words }) => `    ${quote(path)}) echo ${quote(words.map(({ text }) => text).join(" "))} ;;`,
  )
  return `_countersign_words() {
  case "$1" in
${cases.join("\n")}
    *) return 1 ;;
  esac
}
_countersign() {
  local path="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    if _countersign_words "\${path:+$path }$word" > /dev/null; then path="\${path:+$path }$word"; fi
  done
  COMPREPLY=($(compgen -W "$(_countersign_words "$path")" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _countersign countersign`
}

function fishScript(places: readonly Place[]): string {
  const paths = places.map(({ path }) => path).filter((path) => path !== "")
  const lines = places.flatMap(({ path, words }) =>
    words.map(({ text, about }) => {
      const word = text.startsWith("--") ? `-l ${text.slice(2)}` : `-a ${text}`
      return `complete -c countersign -n 'test (_countersign_path) = ${fishQuote(path)}' -f ${word} -d ${quote(about)}`
    }),
  )
  return `function _countersign_path
  set -l path ''
  for word in (commandline -opc)[2..-1]
    set -l next (string trim "$path $word")
    if contains -- $next ${paths.map(quote).join(" ")}
      set path $next
    end
  end
  echo "$path"
end
${lines.join("\n")}`
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** Within a condition that is itself in single quotes. */
function fishQuote(text: string): string {
  return `"${text}"`
}
