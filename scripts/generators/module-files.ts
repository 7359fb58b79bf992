import { readdirSync } from "node:fs"
import { join } from "node:path"
import { ROOT } from "../run.ts"

/** The folder of the signer's modules: one folder for each. */
export const MODULES = "signer/enclave/modules"

/**
 * The file that exports the activities of a path, below MODULES: in whichever module it lies.
 * @throws Error no module, or more than one, has it
 */
export function fileOfPath(path: string): string {
  const name = `${path.replaceAll("_", "-")}.ts`
  const found = moduleFiles().filter((file) => file.endsWith(`/${name}`))
  const [file, ...others] = found
  if (file !== undefined && others.length === 0) return file
  const fault = file === undefined ? "no module has" : "more than one module has"
  throw new Error(
    `${fault} ${name}: put it into one folder of ${MODULES}; an empty file will do to begin with`,
  )
}

function moduleFiles(): string[] {
  return readdirSync(join(ROOT, MODULES), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => readdirSync(join(ROOT, MODULES, name)).map((file) => `${name}/${file}`))
}
