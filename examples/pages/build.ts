import { readFile } from "node:fs/promises"
import { basename } from "node:path"
import { build, type Plugin, type Rolldown } from "vite"
import { FILE_NAMES, keysOf, publishedText, withKeys } from "../../services/cli/client-pins/constants.ts"
import { readTrustedPins } from "../../services/terminal-client/pins.ts"

/** Files of the built page by their path, without the first slash. */
export type BuiltPage = ReadonlyMap<string, string | Uint8Array>

/**
 * Bundles the page of a folder in memory. The kit's pinned keys become those of the deployment on the way, as `countersign pins apply`
 * would write them into the installed packages; these stay as they were published. Without a file of pins, they are bundled so.
 */
export async function buildPage(pinsFile: string | undefined, folder: string): Promise<BuiltPage> {
  const plugins = pinsFile === undefined ? [] : [pinsOf(keysOf(await readTrustedPins(pinsFile)))]
  const built = (await build({
    configFile: false,
    root: folder,
    logLevel: "silent",
    build: { write: false, minify: false, target: "esnext" },
    plugins,
  })) as Rolldown.RolldownOutput
  return new Map(
    built.output.map((file) => [file.fileName, file.type === "chunk" ? file.code : file.source] as const),
  )
}

/** @throws if a file with the constants is not the published one, because then nothing says what it does */
function pinsOf(keys: ReturnType<typeof keysOf>): Plugin {
  return {
    name: "countersign-pins",
    enforce: "pre",
    async load(id) {
      const [path = ""] = id.split("?")
      const name = basename(path)
      if (!/[\\/]@turnkey[\\/]crypto[\\/]dist[\\/]/.test(path) || !FILE_NAMES.includes(name)) return undefined
      const published = publishedText(name, await readFile(path, "utf8"))
      if (published === undefined)
        throw new Error(`${path} is no published file that is known: docs/clients.md`)
      return withKeys(published, keys)
    },
  }
}
