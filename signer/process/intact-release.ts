// Written twice, here and in `services/common/intact-release.ts`, for the reason given in `exit-with-parent.ts`.
import { readdirSync, readFileSync } from "node:fs"
import { join, relative } from "node:path"
import { inspectRelease, sentenceOfFaults, type TopFolder } from "../core/release/installed.ts"
import { REFUSED_START_STATUS } from "../core/settings/process-start.ts"
import { StartError } from "../core/settings/start-fault.ts"

const ROOT = join(import.meta.dirname, "..", "..")

/**
 * Refuses to go on in a release of which a byte is not as it was built. A checkout has no list and is not compared. `countersign dev`
 * compares once for all processes that it starts.
 *
 * @throws {StartError} with the files' names
 */
export function requireIntactRelease(zone: string, root: string = ROOT): void {
  if (process.env["COUNTERSIGN_EXIT_WITH_PARENT"] === "1") return
  const installed = inspectRelease(topFolder(root), zone)
  const sentence = installed && sentenceOfFaults(installed)
  if (sentence !== undefined) throw new StartError(REFUSED_START_STATUS, sentence)
}

export function topFolder(root: string): TopFolder {
  return {
    read: (path) => unlessMissing(() => readFileSync(join(root, path))),
    pathsBelow: (folder) =>
      unlessMissing(() => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
        ?.filter((entry) => !entry.isDirectory())
        .map((entry) => relative(root, join(entry.parentPath, entry.name))) ?? [],
  }
}

/** A file that this user cannot read is as one that is not there: the list names it, and the start is refused. */
function unlessMissing<Found>(read: () => Found): Found | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
