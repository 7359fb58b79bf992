import { run } from "../../../services/cli/run.ts"

/** Runs a command line in this process and tells what it said. */
export async function commandLine(environment: NodeJS.ProcessEnv, ...words: string[]) {
  const printed: string[] = []
  const talked: string[] = []
  const status = await run(words, environment, {
    print: (line) => printed.push(line),
    log: (line) => talked.push(line),
  })
  return { status, out: printed.join("\n"), log: talked.join("\n") }
}
