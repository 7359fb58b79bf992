// The import rules, room by room. A room is a folder or a file; the longest path that fits a file is its room.
// A new folder of signer/ or services/ needs a rule here before it can be used, and a permission that no file uses
// has to go. These files only declare.

import { coreRooms } from "./rooms/core.ts"
import type { Rules } from "./rooms/rule.ts"
import { serviceRooms } from "./rooms/services.ts"
import { trustedRooms } from "./rooms/trusted.ts"

export const rules: Rules = { ...coreRooms, ...trustedRooms, ...serviceRooms }

/** Files that decide at run time what they load, each with its reason. */
export const computedImports: { readonly [file: string]: string } = {
  "services/api/http/pages.ts": "loads the OpenAPI document when it is first asked for",
  "services/node/run.ts": "runs the program of the process that is named, of those that are installed",
  "services/node/settings.ts": "reads the settings of the processes that are installed, as they read them",
}
