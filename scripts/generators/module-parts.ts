import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { ROOT } from "../run.ts"

/** One export of modules. `joined`: the index lists the exports (`each`), lists their items (`all`), or merges objects (`members`). */
type Part = { readonly name: string; readonly joined: "each" | "all" | "members"; readonly index: string }

/** An index of what the modules of a folder bring: of each module that has the file. */
export type ModuleIndex = {
  /** Folder with a folder for each module. */
  readonly folder: string
  /** The file within a module. */
  readonly file: string
  readonly parts: readonly Part[]
  /** Modules that come first, where people read the index's order. */
  readonly first?: readonly string[]
  /** Text of the types that the declarations name, below the imports. */
  readonly imports?: string
  /** Type of each index, with its comment. */
  readonly declared: { readonly [index: string]: { readonly comment: string; readonly type?: string } }
}

export function moduleIndex({
  folder,
  file,
  parts,
  first = [],
  imports = "",
  declared,
}: ModuleIndex): string {
  const found = modulesWith(folder, file)
  const modules = [...first, ...found.filter((module) => !first.includes(module))]
  const exported = modules.map((module) => ({ module, text: textOf(folder, module, file) }))
  const having = ({ name }: Part) =>
    exported.filter(({ text }) => text.includes(`export const ${name}`)).map(({ module }) => module)
  const lines = modules.flatMap((module) => {
    const names = parts.filter((part) => having(part).includes(module))
    const list = names.map(({ name }) => `${name} as ${alias(module, name)}`).join(", ")
    return names.length === 0 ? [] : [`import { ${list} } from "./${module}/${file}"`]
  })
  const indexes = parts.map((part) => {
    const { comment, type } = declared[part.index] ?? { comment: "" }
    const typed = type === undefined ? "" : `: ${type}`
    const items = having(part).map((module) => alias(module, part.name))
    return `/** ${comment} */\nexport const ${part.index}${typed} = ${joined(part, items)}`
  })
  return `// Generated from the folders of this folder by \`npm run generate\`: not edited by hand.
${imports}${lines.join("\n")}

${indexes.join("\n\n")}
`
}

function joined({ joined: how }: Part, items: readonly string[]): string {
  if (how === "each") return `[${items.join(", ")}]`
  const spread = items.map((item) => `...${item}`).join(", ")
  return how === "all" ? `[${spread}]` : `{ ${spread} }`
}

function modulesWith(folder: string, file: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(ROOT, folder, entry.name, file)))
    .map(({ name }) => name)
    .toSorted()
}

function textOf(folder: string, module: string, file: string): string {
  return readFileSync(join(ROOT, folder, module, file), "utf8")
}

/** `on-ramp`, `powers` -> `onRampPowers`. */
function alias(module: string, name: string): string {
  const camel = module.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
  return `${camel}${name.charAt(0).toUpperCase()}${name.slice(1)}`
}
