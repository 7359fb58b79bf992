// Runs the service of one source tree, in a process of its own: started by the tree's own code.
import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { answerQuestions, readSettings } from "../child.ts"
import type { Place } from "../places.ts"

export type TreeSettings = { tree: string; directory: string }
export type TreeQuestion = { ask: "start" } | { ask: "settle" } | { ask: "stop" }
/** The answer to `start`. */
export type StartedTree = Pick<Place, "target" | "processes">

/** bench/services.ts of that tree. */
type Services = { startService: (name: "service", directory: string) => Promise<Place> }

const { tree, directory } = readSettings() as TreeSettings
let place: Place | undefined

answerQuestions(async ({ ask }: TreeQuestion): Promise<StartedTree | undefined> => {
  switch (ask) {
    case "start": {
      await mkdir(directory, { mode: 0o755 })
      const services = (await import(pathToFileURL(join(tree, "bench", "services.ts")).href)) as Services
      place = await services.startService("service", join(directory, "service"))
      return { target: place.target, processes: place.processes }
    }
    case "settle":
      await place?.settle()
      return undefined
    case "stop":
      await place?.stop()
      return undefined
    default:
      return ask satisfies never
  }
})
