// The command of the command line that makes the same call.
import type { Json } from "../api/client.ts"

/** `type` "": a query. */
export function commandFor({ path, type }: { path: string; type: string }, members: Json): string {
  const quoted = JSON.stringify(members).replaceAll("'", `'\\''`)
  const submit =
    type === "" ? "" : ` --submit ${word(type.replace("ACTIVITY_TYPE_", "").toLowerCase())} --prove`
  return `npx countersign request ${word(path)} '${quoted}'${submit} --as NAME`
}

/** One word of a shell command: the API states types and paths. */
function word(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
