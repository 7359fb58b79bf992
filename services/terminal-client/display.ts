import { homedir } from "node:os"
import { relative } from "node:path"
import { shellWord } from "../../signer/core/command-text.ts"
import type { Settings } from "./settings.ts"

type DataDirectorySettings = Pick<Settings, "dataDirectory" | "dataDirectoryChosen">

/** Prefix that makes a command use the same data directory; empty for the default one. */
export function dataDirectoryPrefix({ dataDirectory, dataDirectoryChosen }: DataDirectorySettings): string {
  return dataDirectoryChosen ? `COUNTERSIGN_DATA_DIR=${shellWord(dataDirectory)} ` : ""
}

/** A path relative to the working directory or the home directory, where it is shorter. */
export function displayPath(path: string): string {
  const near = relative(process.cwd(), path)
  if (near !== "" && !near.startsWith("..")) return near
  return path.startsWith(`${homedir()}/`) ? `~${path.slice(homedir().length)}` : path
}
