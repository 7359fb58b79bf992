import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { RefusalCodeSchema } from "../proto/gen/countersign/signer/v1/refusal_pb.ts"

/** The option under which a process of Node records the codes it refuses with, as files of this folder. */
export function recordingIn(folder: string): string {
  const preload = new URL("record-refusals.ts", import.meta.url)
  preload.searchParams.set("folder", folder)
  return `--import=${preload.href}`
}

/** Declared refusal codes that no process has recorded in this folder. */
export function unansweredCodes(folder: string): string[] {
  const answered = new Set(
    readdirSync(folder).flatMap((name) => readFileSync(join(folder, name), "utf8").split("\n")),
  )
  return RefusalCodeSchema.values
    .filter(({ number, localName }) => number !== 0 && !answered.has(localName))
    .map(({ localName }) => localName)
}
