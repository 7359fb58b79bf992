import { join } from "node:path"

/**
 * The folder in which programs keep their modules' compiled code from start to start. It is beside the packages, whose owner decides
 * what these programs run. Where it cannot be written, programs start as without it.
 */
export const COMPILE_CACHE = join(import.meta.dirname, "../..", "node_modules", ".cache", "countersign")

/** The environment for programs that use the folder, unless the user names another to Node. */
export function withCompileCache(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { NODE_COMPILE_CACHE: COMPILE_CACHE, ...environment }
}
