import type { PowerName, Powers } from "../../activities/context.ts"
import type { Workspace } from "./workspace.ts"

/** How each power is made, when an activity first reads it. */
export type Makers = { readonly [Name in PowerName]: (workspace: Workspace) => Powers[Name] }
