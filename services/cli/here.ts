import { homedir } from "node:os"
import { relative } from "node:path"
import type { Settings } from "./settings.ts"

type Chosen = Pick<Settings, "dataDirectory" | "dataDirectoryChosen">

/** What has to stand before a command that is to work on the same data; nothing for the usual place. */
export function sameData({ dataDirectory, dataDirectoryChosen }: Chosen): string {
  return dataDirectoryChosen ? `COUNTERSIGN_DATA_DIR=${quote(dataDirectory)} ` : ""
}

/** A path as a person would type it from here. */
export function show(path: string): string {
  const near = relative(process.cwd(), path)
  if (near !== "" && !near.startsWith("..")) return near
  return path.startsWith(`${homedir()}/`) ? `~${path.slice(homedir().length)}` : path
}

/** As one word of a shell command. */
function quote(path: string): string {
  return /^[\w./:@+-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`
}
