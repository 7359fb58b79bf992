import type { Command } from "commander"
import { completionScript, SHELLS } from "../completion/scripts.ts"
import { CliError, ExitCode } from "../exit.ts"
import { type CommandContext, examples } from "./options.ts"

/** `completion`. */
export function addCompletionCommand(program: Command, { terminal }: CommandContext): void {
  examples(
    program
      .command("completion <shell>")
      .description(`print a script that completes commands in ${SHELLS.join(", ")}`),
    ["completion bash > ~/.local/share/bash-completion/completions/countersign"],
  ).action((name: string) => {
    const shell = SHELLS.find((one) => one === name)
    if (shell === undefined) throw new CliError(ExitCode.usage, `${name}: use ${SHELLS.join(", ")}`)
    for (const line of completionScript(shell, program).split("\n")) terminal.print(line)
  })
}
