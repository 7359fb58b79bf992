import { join } from "node:path"
import { build } from "vite"
import { ROOT } from "../run.ts"

/** services/common/collection/stamping-script.ts: the script of the collection, bundled with its packages. */
export async function stampingScriptModule(): Promise<string> {
  return `// Generated from scripts/stamping-script/stamp-request.ts by \`npm run generate\`: not edited by hand.

/** The script that Postman and Bruno run before each request, with the packages that it imports. */
export const STAMPING_SCRIPT =
  ${JSON.stringify(await bundled())}
`
}

async function bundled(): Promise<string> {
  const made = await build({
    root: ROOT,
    configFile: false,
    envFile: false,
    logLevel: "error",
    build: {
      write: false,
      target: "es2020",
      minify: true,
      lib: {
        entry: join(ROOT, "scripts/stamping-script/stamp-request.ts"),
        formats: ["iife"],
        name: "stampRequest",
      },
    },
  })
  const [output] = Array.isArray(made) ? made : []
  const [chunk] = output?.output ?? []
  if (chunk?.type !== "chunk") throw new Error("the stamping script was not bundled")
  return chunk.code.trim()
}
