import { join } from "node:path"
import { packageRoot } from "../settings.ts"

/**
 * The environment in which programs keep their modules' compiled code, from start to start: without it half of a start is
 * compiling. The folder is beside the packages, whose owner decides what these programs run. Where it cannot be written, or the user
 * names another, Node does as it is told.
 */
export function withCompileCache(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { NODE_COMPILE_CACHE: join(packageRoot, "node_modules", ".cache", "countersign"), ...environment }
}
