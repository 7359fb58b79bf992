// The command of the command line that makes the same call.
import type { JsonMembers } from "../../../proto/strict-json.ts"
import { commandText } from "../../../signer/core/command-text.ts"

/** The API states types and paths. `type` "": a query. */
export function commandFor({ path, type }: { path: string; type: string }, members: JsonMembers): string {
  const request = commandText`npx countersign request ${path} ${JSON.stringify(members)}`
  const submit =
    type === "" ? "" : commandText` --submit ${type.replace("ACTIVITY_TYPE_", "").toLowerCase()} --prove`
  return `${request}${submit} --as NAME`
}
