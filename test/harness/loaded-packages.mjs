// Loaded with --import: appends the name of each package that the process loads to the file LOADED_PACKAGES.
import { appendFileSync } from "node:fs"
import { registerHooks } from "node:module"

registerHooks({
  load(url, context, nextLoad) {
    const name = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1]
    if (name !== undefined) appendFileSync(process.env.LOADED_PACKAGES, `${name}\n`)
    return nextLoad(url, context)
  },
})
