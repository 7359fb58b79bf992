import { spawn } from "node:child_process"
import { delimiter, join } from "node:path"

/** The repository's top folder. */
export const ROOT = join(import.meta.dirname, "..")

/** Programs in Go that judge the log, once `npm run judges` has built them. */
export const JUDGES = join(ROOT, "node_modules", ".cache", "countersign-judges")

/** The environment whose PATH begins with the pinned tools and the pinned Node. */
export const TOOLS: NodeJS.ProcessEnv = {
  ...process.env,
  PATH: [join(ROOT, "node_modules", ".bin"), process.env["PATH"] ?? ""].join(delimiter),
}

export type Finished = { code: number; output: string }

/** Runs one command to its end, with a text on its standard input, and returns what it wrote on both streams. */
export function run(command: string, args: readonly string[], input = ""): Promise<Finished> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: ROOT, env: TOOLS, stdio: ["pipe", "pipe", "pipe"] })
    child.stdin.on("error", () => undefined)
    child.stdin.end(input)
    const chunks: Buffer[] = []
    child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk))
    child.stderr.on("data", (chunk: Buffer) => chunks.push(chunk))
    child.on("error", (error) => resolve({ code: 127, output: `${command}: ${error.message}\n` }))
    child.on("close", (code) => resolve({ code: code ?? 1, output: Buffer.concat(chunks).toString("utf8") }))
  })
}
