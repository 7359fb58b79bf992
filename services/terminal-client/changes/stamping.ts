import type { ApiClient } from "../api-client.ts"
import type { NamedKey } from "../key-folder.ts"
import type { Terminal } from "../terminal.ts"

/** Context of the submission of an activity. */
export type Submitting = Omit<Stamping, "keysFolder" | "pinsFile">

/** Context of every command that stamps. */
export type Stamping = {
  client: ApiClient & { key: NamedKey }
  organizationId: string
  terminal: Terminal
  /** Folder of requests without outcome. */
  requestsFolder: string
  keysFolder: string
  /** File of the pins of the deployment, if there are any. */
  pinsFile: string
}
