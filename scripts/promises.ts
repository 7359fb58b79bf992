import { join } from "node:path"
import { ROOT, run } from "./run.ts"

/** The contract as the last release promised it: messages and services, without comments. */
export const PROMISED = join("proto", "promised.binpb")

/**
 * Breaking changes from the promised contract to the one in this folder: buf's lines, each with its place. Undefined:
 * there are none.
 *
 * @param folder a folder with `buf.yaml` and `proto/`
 */
export async function brokenPromises(folder = ROOT): Promise<string | undefined> {
  const { code, output } = await run("buf", ["breaking", folder, "--against", join(folder, PROMISED)])
  return code === 0 ? undefined : output || `buf breaking ended with code ${code}`
}

/**
 * Writes the present contract as the promised one. If it has breaking changes, writes nothing and returns them.
 *
 * @param options.breaks write it even so: a major release
 */
export async function renewPromises(folder = ROOT, { breaks = false } = {}): Promise<string | undefined> {
  const fault = breaks ? undefined : await brokenPromises(folder)
  if (fault !== undefined) return fault
  const output = join(folder, PROMISED)
  const built = await run("buf", ["build", folder, "--exclude-source-info", "--output", output])
  return built.code === 0 ? undefined : built.output
}
